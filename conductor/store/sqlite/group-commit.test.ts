/** Group commit with failures: acknowledged writes are on disk, and callers of lost writes get an error. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { CompiledQuery, type Driver } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { type EarlyQuery, groupCommitDriver } from './group-commit.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-group-'));
let file: SqliteFile.Database;
let beside: SqliteFile.Database;
let driver: Driver;

beforeEach(() => {
  const path = join(directory, `${crypto.randomUUID()}.db`);
  file = new SqliteFile(path);
  file.pragma('journal_mode = WAL');
  file.pragma('foreign_keys = ON');
  file.exec(`create table rows (id integer primary key, body text);
    create table strict (id integer references rows (id) deferrable initially deferred)`);
  beside = new SqliteFile(path, { readonly: true });
  driver = groupCommitDriver(file, () => false);
});

afterEach(async () => {
  beside.close();
  await driver.destroy();
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(sql: string, ...parameters: unknown[]) {
  return (await driver.acquireConnection()).executeQuery(CompiledQuery.raw(sql, parameters));
}

const insert = (id: number, body = '') => run('insert into rows values (?, ?)', id, body);
const onDisk = () => beside.prepare('select id from rows order by id').pluck().all();

async function transaction(work: (execute: typeof run) => Promise<unknown>) {
  const connection = await driver.acquireConnection();
  await driver.beginTransaction(connection, {});
  try {
    await work((sql, ...parameters) => connection.executeQuery(CompiledQuery.raw(sql, parameters)));
    await driver.commitTransaction(connection);
  } catch (error) {
    await driver.rollbackTransaction(connection);
    throw error;
  }
}

it('answers no caller before the commit, not even readers of the group', async () => {
  const order: string[] = [];
  const write = insert(1).then(() => order.push(`written, on disk ${onDisk().length}`));
  const read = run('select * from rows').then(({ rows }) => order.push(`read ${rows.length}`));
  expect(onDisk()).toEqual([]);
  await Promise.all([write, read]);
  expect(order).toEqual(['written, on disk 1', 'read 1']);
});

it('answers no caller before the log is flushed, and collects one group meanwhile', async () => {
  const flushes: PromiseWithResolvers<void>[] = [];
  const flush = () => {
    const one = Promise.withResolvers<void>();
    flushes.push(one);
    return one.promise;
  };
  const flushed = groupCommitDriver(file, () => false, { flush, close: () => undefined });
  const connection = await flushed.acquireConnection();
  const order: string[] = [];
  const query = (sql: string) =>
    connection.executeQuery(CompiledQuery.raw(sql)).then(
      () => order.push(sql),
      () => order.push(`refused: ${sql}`),
    );
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  const first = query('insert into rows values (1, null)');
  await turn();
  expect(onDisk()).toEqual([1]);
  const reader = query('select 1');
  const others = [query('insert into rows values (2, null)'), query('select 2')];
  await turn();
  await turn();
  expect([order, onDisk(), flushes.length]).toEqual([[], [1], 1]);
  flushes[0]?.resolve();
  await Promise.all([first, reader]);
  expect(order).toEqual(['insert into rows values (1, null)', 'select 1']);
  await turn();
  expect([onDisk(), flushes.length]).toEqual([[1, 2], 2]);
  flushes[1]?.reject(new Error('the disk is gone'));
  await Promise.all(others);
  expect(order.slice(2)).toEqual(['refused: insert into rows values (2, null)', 'refused: select 2']);
});

it('rejects the whole group when its commit fails, and goes on with the next', async () => {
  const results = await Promise.allSettled([
    insert(1),
    run('insert into strict values (99)'),
    transaction((execute) => execute('insert into rows values (2, null)')),
    run('select * from rows'),
  ]);
  expect(results.map((result) => result.status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
  expect(onDisk()).toEqual([]);
  await Promise.all([insert(3), transaction((execute) => execute('insert into rows values (4, null)'))]);
  expect(onDisk()).toEqual([3, 4]);
});

it('tells the truth to everybody when the disk is full', async () => {
  file.pragma('max_page_count = 40');
  const ids = Array.from({ length: 100 }, (_, index) => index);
  const results = await Promise.allSettled(
    ids.map((id) =>
      id % 10 === 0
        ? transaction((execute) => execute('insert into rows values (?, ?)', id, 'x'.repeat(3_000)))
        : insert(id, 'x'.repeat(3_000)),
    ),
  );
  const acknowledged = ids.filter((id) => results[id]?.status === 'fulfilled');
  expect(acknowledged.length).toBeLessThan(ids.length);
  expect(onDisk()).toEqual(acknowledged);
  file.pragma('max_page_count = 4000');
  await insert(1_000);
  expect(onDisk()).toContain(1_000);
});

it('lets everybody wait for a transaction and serves them in the order of asking', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const open = transaction(async (execute) => {
    await execute('insert into rows values (1, null)');
    await gate.promise;
    order.push('open');
  });
  const second = transaction(async () => order.push('second'));
  const third = transaction(async () => order.push('third'));
  const reader = run('select count(*) as n from rows').then(({ rows }) => order.push(JSON.stringify(rows)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual([]);
  gate.resolve();
  await Promise.all([open, second, third, reader]);
  expect(order).toEqual(['open', 'second', 'third', '[{"n":1}]']);
});

it('undoes a transaction alone, not the group it was in', async () => {
  const failing = transaction(async (execute) => {
    await execute('insert into rows values (2, null)');
    throw new Error('half way');
  });
  const results = await Promise.allSettled([insert(1), failing, insert(3)]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(onDisk()).toEqual([1, 3]);
});

it('lets an early read see a group before it is on disk, and waits for none', async () => {
  const order: string[] = [];
  const connection = await driver.acquireConnection();
  const write = connection
    .executeQuery(CompiledQuery.raw('insert into rows values (1, null)'))
    .then(() => order.push('written'));
  const early: EarlyQuery = { ...CompiledQuery.raw('select id from rows'), early: true };
  const { rows } = await connection.executeQuery(early);
  expect([rows, order, onDisk()]).toEqual([[{ id: 1 }], [], []]);
  await write;
});
