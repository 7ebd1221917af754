/** The filters of a node list as conditions: one row per filter. */
import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { NodeFilter } from '../../domain/store/nodes.ts';

type Condition = RawBuilder<SqlBool>;
type Conditions = { readonly [F in keyof NodeFilter]-?: (value: NonNullable<NodeFilter[F]>) => Condition };

const is = (column: string) => (value: string) => sql<SqlBool>`${sql.ref(`nodes.${column}`)} = ${value}`;
const flag = (column: string) => (value: boolean) =>
  sql<SqlBool>`${sql.ref(`nodes.${column}`)} = ${value ? 1 : 0}`;
const present = (column: string) => (value: boolean) =>
  value
    ? sql<SqlBool>`${sql.ref(`nodes.${column}`)} is not null`
    : sql<SqlBool>`${sql.ref(`nodes.${column}`)} is null`;

/** Texts with this one in them, which is no pattern. */
export const containing = (column: string, text: string): Condition =>
  sql`${sql.ref(column)} like ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;

const CONDITIONS: Conditions = {
  provisionState: is('provision_state'),
  driver: is('driver'),
  maintenance: flag('maintenance'),
  retired: flag('retired'),
  associated: present('instance_uuid'),
  instanceUuid: is('instance_uuid'),
  resourceClass: is('resource_class'),
  conductorGroup: is('conductor_group'),
  fault: is('fault'),
  chassisUuid: is('chassis_uuid'),
  owner: is('owner'),
  lessee: is('lessee'),
  shards: (shards) => (shards.length === 0 ? sql`1 = 0` : sql`nodes.shard in (${sql.join([...shards])})`),
  sharded: present('shard'),
  parentNode: is('parent_node'),
  child: present('parent_node'),
  instanceName: is('instance_name'),
  descriptionContains: (text) => containing('nodes.description', text),
  project: (project) => sql`(nodes.owner = ${project} or nodes.lessee = ${project})`,
};

export function matching(filter: NodeFilter): Condition {
  const conditions = (Object.keys(CONDITIONS) as (keyof NodeFilter)[]).flatMap((key) => {
    const value = filter[key];
    return value === undefined ? [] : [(CONDITIONS[key] as (value: unknown) => Condition)(value)];
  });
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}
