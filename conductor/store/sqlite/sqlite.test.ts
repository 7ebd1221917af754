import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from './database.ts';
import { openSqlite } from './sqlite.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-sqlite-'));
let db: Database;
const reopen = (path: string) => {
  db = createDatabase(openSqlite(path));
};
const rows = async (text: string) => (await db.run<object>(CompiledQuery.raw(text))).rows;
beforeEach(() => reopen(':memory:'));
afterEach(() => db.close());
afterAll(() => rmSync(directory, { recursive: true }));

describe('settings of the connection', () => {
  const NAMES = ['journal_mode', 'synchronous', 'foreign_keys', 'secure_delete', 'busy_timeout'];
  const settings = async () => {
    const found = await Promise.all(NAMES.map((name) => rows(`pragma ${name}`)));
    return Object.assign({}, ...found.flat()) as Record<string, unknown>;
  };
  const always = { foreign_keys: 1, secure_delete: 1, timeout: 5_000 };

  it('a file has a write-ahead log, which we flush ourselves (synchronous NORMAL is 1)', async () => {
    await db.close();
    reopen(join(directory, 'a', 'x.db'));
    expect(await settings()).toEqual({ journal_mode: 'wal', synchronous: 1, ...always });
  });

  it('a database in memory needs no flush (synchronous OFF is 0)', async () => {
    expect(await settings()).toEqual({ journal_mode: 'memory', synchronous: 0, ...always });
  });
});

describe('a broken constraint', () => {
  const broken = async (statement: string) => {
    for (const text of [
      'create table owners (id integer primary key, name text, place text, unique (name, place))',
      'create table things (owner integer references owners (id), size integer check (size > 0))',
      "insert into owners values (1, 'a', 'b')",
    ])
      await rows(text);
    const error = await rows(statement).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SqliteFile.SqliteError);
    return db.engine.brokenConstraint(error);
  };

  it.each([
    ["insert into owners values (2, 'a', 'b')", { kind: 'unique', column: 'owners.name, owners.place' }],
    ["insert into owners values (1, 'c', 'd')", { kind: 'unique', column: 'owners.id' }],
    ['insert into things values (9, 1)', { kind: 'foreign key', column: '' }],
    ['insert into things values (1, 0)', undefined],
    ['insert into nowhere values (1)', undefined],
  ])('%s: %j', async (statement, meaning) => {
    expect(await broken(statement)).toEqual(meaning);
  });

  it('is none of an error that is not the database’s', () => {
    const stranger = Object.assign(new Error('x: y'), { code: 'SQLITE_CONSTRAINT_UNIQUE' });
    expect(db.engine.brokenConstraint(stranger)).toBeUndefined();
  });
});

it('an object of keys and JSON values comes from all rows of a sub-select', async () => {
  await rows('create table pairs (name text, value text)');
  await rows(`insert into pairs values ('a', '{"b":[1]}'), ('c', 'null')`);
  const object = db.engine.aggregateObject(sql.ref('name'), sql.ref('value'));
  const { rows: found } = await sql<{ all: string }>`select ${object} as "all" from pairs`.execute(db.query);
  expect(JSON.parse(found[0]!.all)).toEqual({ a: { b: [1] }, c: null });
});

it('a change of the schema is undone with its transaction', async () => {
  const work = db.query.transaction().execute(async (tx) => {
    await sql`create table half (id integer)`.execute(tx);
    throw new Error('half way');
  });
  await expect(work).rejects.toThrow('half way');
  await expect(rows('select * from half')).rejects.toThrow('no such table');
});

it('only the body of a transaction counts as inside it', async () => {
  const inside = db.engine.inTransaction(async () => rows('select 1'));
  await expect(inside).rejects.toThrow('inside its own transaction');
  let later: Promise<object[]> | undefined;
  const left = Promise.withResolvers<void>();
  await db.engine.inTransaction(async () => {
    later = left.promise.then(() => rows('select 1 as one'));
  });
  left.resolve();
  expect(await later).toEqual([{ one: 1 }]);
});

it('queries of kysely that come in one turn of the event loop share a commit', async () => {
  await rows('create table things (id integer)');
  const add = (id: number) => sql`insert into things values (${id})`.execute(db.query);
  let second = false;
  const both = [
    add(1),
    add(2).then(() => {
      second = true;
    }),
  ];
  await both[0];
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(second).toBe(true);
  await Promise.all(both);
});
