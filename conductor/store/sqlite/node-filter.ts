/** The filters of a node list as SQL conditions. */

import type { NodeFilterField } from '@ingot/shared/ironic/node-fields.ts';
import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { NodeFilter } from '../../domain/store/nodes.ts';
import { snakeCase } from './row-codec.ts';

type Condition = RawBuilder<SqlBool>;
/** Filters other than the comparison of one field with one value. */
type Special = Exclude<keyof NodeFilter, NodeFilterField>;
type Conditions = { readonly [F in Special]-?: (value: NonNullable<NodeFilter[F]>) => Condition };

const equals = (field: string, value: string | boolean): Condition =>
  sql`${sql.ref(`nodes.${snakeCase(field)}`)} = ${typeof value === 'boolean' ? Number(value) : value}`;
const present = (column: string) => (value: boolean) =>
  value
    ? sql<SqlBool>`${sql.ref(`nodes.${column}`)} is not null`
    : sql<SqlBool>`${sql.ref(`nodes.${column}`)} is null`;

/** Condition: the column contains this text. Wildcards in the text are escaped. */
export const containing = (column: string, text: string): Condition =>
  sql`${sql.ref(column)} like ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;

const SPECIAL: Conditions = {
  associated: present('instance_uuid'),
  shards: (shards) => (shards.length === 0 ? sql`1 = 0` : sql`nodes.shard in (${sql.join([...shards])})`),
  sharded: present('shard'),
  child: present('parent_node'),
  descriptionContains: (text) => containing('nodes.description', text),
  project: (project) => sql`(nodes.owner = ${project} or nodes.lessee = ${project})`,
};

const isSpecial = (name: string): name is Special => Object.hasOwn(SPECIAL, name);

export function matching(filter: NodeFilter): Condition {
  const conditions = Object.entries(filter).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (isSpecial(name)) return [(SPECIAL[name] as (value: unknown) => Condition)(value)];
    return [equals(name, value as string | boolean)];
  });
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}
