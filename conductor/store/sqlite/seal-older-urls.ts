/**
 * Moves what an older version left in the sealed columns to the table of secrets: it did not know that user info and
 * query of a URL are secrets.
 */
import { CompiledQuery } from 'kysely';
import type { Json } from '../../domain/json.ts';
import { type Database, SECRET_OWNERS, type SecretOwner } from './database.ts';
import { snakeCase } from './row-codec.ts';
import { NODE_COLUMNS, OPERATION_COLUMNS } from './schema.ts';
import { type SecretChange, seal } from './seal.ts';

type Row = Readonly<Record<string, string | number | null>>;

interface Owner {
  readonly owner: SecretOwner;
  readonly table: string;
  readonly key: string;
  /** Fields whose columns are sealed. */
  readonly fields: readonly string[];
}

const sealedIn = (columns: object): string[] =>
  Object.entries(columns).flatMap(([field, kind]) => (kind === 'sealed' ? [field] : []));

const OWNERS: readonly Owner[] = [
  { owner: 'node', table: 'nodes', key: 'uuid', fields: sealedIn(NODE_COLUMNS) },
  { owner: 'operation', table: 'operations', key: 'id', fields: sealedIn(OPERATION_COLUMNS) },
];

const ROWS_AT_ONCE = 200;

/** Before the secrets are encrypted for the first time. The caller runs it in a transaction. */
export async function sealOlderUrls(db: Database): Promise<void> {
  for (const owner of OWNERS) {
    for (let last: number | undefined = 0; last !== undefined; ) last = await sealBatch(db, owner, last);
  }
}

/** Returns the number of the last row; undefined at the end. */
async function sealBatch(db: Database, owner: Owner, after: number): Promise<number | undefined> {
  const select = `select rowid as row_number, * from ${owner.table} where rowid > ? order by rowid limit ${ROWS_AT_ONCE}`;
  const { rows } = await db.run<Row>(CompiledQuery.raw(select, [after]));
  for (const row of rows) await sealRow(db, owner, row);
  return rows.at(-1)?.['row_number'] as number | undefined;
}

async function sealRow(db: Database, { owner, table, key, fields }: Owner, row: Row): Promise<void> {
  for (const field of fields) {
    const column = snakeCase(field);
    const text = row[column];
    if (typeof text !== 'string') continue;
    const change: SecretChange = { fields: [], keep: [], put: new Map() };
    const sealed = JSON.stringify(seal(JSON.parse(text) as Json, `/${field}`, change));
    for (const [pointer, value] of change.put) {
      const insert = `insert or ignore into secrets (${SECRET_OWNERS[owner].column}, pointer, value) values (?, ?, ?)`;
      await db.run(CompiledQuery.raw(insert, [row[key], pointer, JSON.stringify(value)]));
    }
    const update = `update ${table} set ${column} = ? where rowid = ?`;
    if (change.put.size > 0) await db.run(CompiledQuery.raw(update, [sealed, row['row_number']]));
  }
}
