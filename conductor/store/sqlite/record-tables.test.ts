/** Compares the tables of records with the schema that the migrations make. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPUTE_TABLES } from './compute-tables.ts';
import { createDatabase, type Database } from './database.ts';
import { migrate } from './migrate.ts';
import type { RecordTable } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { snakeCase } from './row-codec.ts';
import { openSqlite } from './sqlite.ts';

let db: Database;
beforeAll(async () => {
  db = createDatabase(openSqlite(':memory:'));
  await migrate(db, ':memory:');
});
afterAll(() => db.close());

const column = async (text: string, name: string): Promise<string[]> =>
  (await sql.raw<Record<string, string>>(text).execute(db.query)).rows.map((row) => row[name]!);

/** The columns of each unique index of a table, except the indexes of `uuid` and `id`. */
async function uniqueColumns(table: string): Promise<string[][]> {
  const indexes = await column(`select name from pragma_index_list('${table}') where "unique" = 1`, 'name');
  const columns = await Promise.all(
    indexes.map((index) => column(`select name from pragma_index_info('${index}') order by seqno`, 'name')),
  );
  return columns.filter((names) => names[0] !== 'uuid' && names[0] !== 'id');
}

/** Unique columns without an error text: the engine changes them only under the node's lock. */
const UNDER_LOCK = ['allocations.node_uuid'];

const tables = Object.values<RecordTable>({ ...RECORD_TABLES, ...COMPUTE_TABLES });

describe.each(tables)('$table', ({ table, columns, named, unique }) => {
  it('has a column for each field, and a field for each column', async () => {
    const fields = Object.keys(columns).map(snakeCase);
    const inSchema = await column(`select name from pragma_table_info('${table}')`, 'name');
    expect(fields.toSorted()).toEqual(inSchema.toSorted());
  });

  it('has a name if it is found by name', () => {
    if (named) expect(Object.keys(columns)).toContain('name');
  });

  it('has words for each value that exists once, by the first column of its index', async () => {
    const indexes = (await uniqueColumns(table)).filter(
      ([first]) => !UNDER_LOCK.includes(`${table}.${first}`),
    );
    const byFirst = Object.fromEntries(indexes.map((names) => [names[0]!, names]));
    expect(Object.keys(unique).toSorted()).toEqual(Object.keys(byFirst).toSorted());
    for (const [first, words] of Object.entries(unique)) {
      expect(byFirst[first]).toEqual(expect.arrayContaining(Object.values(words).map(snakeCase)));
    }
  });
});
