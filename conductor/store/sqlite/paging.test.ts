import SqliteFile from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { type Marker, paged, sortColumn } from './paging.ts';

const file = new SqliteFile(':memory:');
file.exec(`create table things (id integer primary key, size integer);
  insert into things values (1, null), (2, 7), (3, 5), (4, null), (5, 7), (6, 6), (7, 7)`);
const db = new Kysely<{ things: { id: number; size: number | null } }>({
  dialect: new SqliteDialect({ database: file }),
});
afterAll(() => db.destroy());

const page = (column: 'id' | 'size', sortDir: 'asc' | 'desc', limit: number | null, marker?: Marker) =>
  paged(
    db.selectFrom('things').select(['id', 'size']),
    'things',
    column,
    { limit, sortKey: column, sortDir },
    marker,
  ).execute();

describe.each([
  ['id', 'asc', [1, 2, 3, 4, 5, 6, 7]],
  ['id', 'desc', [7, 6, 5, 4, 3, 2, 1]],
  ['size', 'asc', [1, 4, 3, 6, 2, 5, 7]],
  ['size', 'desc', [7, 5, 2, 6, 3, 4, 1]],
] as const)('by %s %s', (column, sortDir, order) => {
  it('everything comes in order', async () => {
    expect((await page(column, sortDir, null)).map(({ id }) => id)).toEqual(order);
  });

  it.each([1, 2, 3])('pages of %s have every row once, in the same order', async (limit) => {
    const seen: number[] = [];
    for (let rows = await page(column, sortDir, limit); rows.length > 0; ) {
      expect(rows.length).toBeLessThanOrEqual(limit);
      seen.push(...rows.map(({ id }) => id));
      const last = rows.at(-1)!;
      rows = await page(column, sortDir, limit, { id: last.id, value: last[column] });
    }
    expect(seen).toEqual(order);
  });
});

it('the sort column is that of the field, which must have one', () => {
  const codec = { sortColumn: (field: string) => (field === 'createdAt' ? 'created_at' : undefined) };
  expect(sortColumn(codec, { sortKey: 'createdAt' })).toBe('created_at');
  expect(() => sortColumn(codec, { sortKey: 'extra' })).toThrow('Sorting by extra is not possible.');
});
