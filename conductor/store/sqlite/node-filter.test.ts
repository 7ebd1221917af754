import SqliteFile from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import type { NodeFilter } from '../../domain/store/nodes.ts';
import { matching } from './node-filter.ts';

const file = new SqliteFile(':memory:');
file.exec(`create table nodes (name text, provision_state text, maintenance integer, instance_uuid text, shard text,
  parent_node text, description text, owner text, lessee text);
  insert into nodes values
    ('a', 'active',    0, 'i', 's1', null, '100% full', 'p', null),
    ('b', 'available', 1, null, 's2', 'a', 'one_hundred', null, 'p'),
    ('c', 'available', 0, null, null, null, null, 'q', 'q'),
    ('d', 'active',    1, 'j', 's1', 'a', 'back\\slash', null, null)`);
const db = new Kysely<{ nodes: { name: string } }>({ dialect: new SqliteDialect({ database: file }) });
afterAll(() => db.destroy());

it.each<[NodeFilter, string]>([
  [{}, 'abcd'],
  [{ provisionState: undefined } as unknown as NodeFilter, 'abcd'],
  [{ provisionState: 'active' }, 'ad'],
  [{ maintenance: true }, 'bd'],
  [{ maintenance: false }, 'ac'],
  [{ maintenance: true, provisionState: 'active' }, 'd'],
  [{ associated: true }, 'ad'],
  [{ associated: false }, 'bc'],
  [{ sharded: true }, 'abd'],
  [{ sharded: false }, 'c'],
  [{ shards: ['s1'] }, 'ad'],
  [{ shards: ['s1', 's2'] }, 'abd'],
  [{ shards: [] }, ''],
  [{ child: true }, 'bd'],
  [{ child: false }, 'ac'],
  [{ project: 'p' }, 'ab'],
  [{ project: 'p', maintenance: true }, 'b'],
  [{ project: 'q' }, 'c'],
  [{ descriptionContains: 'FULL' }, 'a'],
  [{ descriptionContains: '0%' }, 'a'],
  [{ descriptionContains: '%' }, 'a'],
  [{ descriptionContains: 'one_' }, 'b'],
  [{ descriptionContains: '_' }, 'b'],
  [{ descriptionContains: '\\' }, 'd'],
  [{ descriptionContains: '' }, 'abd'],
  [{ descriptionContains: "' or 1=1 --" }, ''],
])('%j lists the nodes "%s"', async (filter, names) => {
  const rows = await db.selectFrom('nodes').select('name').where(matching(filter)).orderBy('name').execute();
  expect(rows.map(({ name }) => name).join('')).toBe(names);
});
