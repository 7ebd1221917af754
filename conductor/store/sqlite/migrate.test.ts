import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabase, type Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite.ts';

let db: Database;
beforeEach(() => {
  db = createDatabase(openSqlite(':memory:'));
});
afterEach(() => db.close());

const tables = async (): Promise<string[]> =>
  (await db.query.introspection.getTables()).map(({ name }) => name);

it('runs every migration of an empty database in order, and none a second time', async () => {
  const ran = await migrate(db, 'x.db');
  expect(ran[0]).toBe('0001-initial');
  expect(ran).toEqual(ran.toSorted());
  expect(await tables()).toContain('nodes');
  expect(await migrate(db, 'x.db')).toEqual([]);
});

it('stops after the one that is asked for, and goes on from there', async () => {
  expect(await migrate(db, 'x.db', '0002-declined-addresses')).toEqual([
    '0001-initial',
    '0002-declined-addresses',
  ]);
  expect((await migrate(db, 'x.db'))[0]).toBe('0003-resources');
});

it('refuses a database of a newer version, and leaves it as it is', async () => {
  await migrate(db, 'x.db', '0001-initial');
  await sql`insert into ingot_migrations values ('9999-later', '2099-01-01')`.execute(db.query);
  const before = await tables();
  const refused = migrate(db, '/srv/x.db');
  await expect(refused).rejects.toMatchObject({ code: 'unsupported' });
  await expect(refused).rejects.toThrow(
    'The database /srv/x.db was last used by a newer version (it has the migration 9999-later)',
  );
  expect(await tables()).toEqual(before);
});
