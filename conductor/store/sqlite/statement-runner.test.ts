import SqliteFile from 'better-sqlite3';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { statementRunner } from './statement-runner.ts';

let file: SqliteFile.Database;
beforeEach(() => {
  file = new SqliteFile(':memory:');
  file.exec('create table rows (id integer primary key, body text)');
});
afterEach(() => file.close());

it.each<[string, unknown[], object, boolean]>([
  ['insert into rows values (?, ?)', [7, 'x'], { rows: [], numAffectedRows: 1n, insertId: 7n }, true],
  ['insert into rows values (7, null) returning id', [], { rows: [{ id: 7 }] }, true],
  ['select 1 as one where ? = ?', [2, 2], { rows: [{ one: 1 }] }, false],
  ['select 1 as one where ? = ?', [2, 3], { rows: [] }, false],
  ['delete from rows', [], { rows: [], numAffectedRows: 0n, insertId: 0n }, true],
])('%s with %j gives %o; it writes: %s', (sql, parameters, result, writes) => {
  const beforeWrite = vi.fn(() => expect(file.prepare('select * from rows').all()).toEqual([]));
  expect(statementRunner(file)(CompiledQuery.raw(sql, parameters), beforeWrite)).toEqual(result);
  expect(beforeWrite).toHaveBeenCalledTimes(writes ? 1 : 0);
});

it('prepares each text once, and keeps a bounded number of them', () => {
  const run = statementRunner(file);
  const prepare = vi.spyOn(file, 'prepare');
  const ask = (text: string) => run(CompiledQuery.raw(text), () => undefined);
  for (let n = 0; n < 500; n += 1) ask(`select ${n}`);
  ask('select 0');
  expect(prepare).toHaveBeenCalledTimes(500);
  ask('select 500');
  expect(ask('select 0').rows).toEqual([{ '0': 0 }]);
  expect(prepare).toHaveBeenCalledTimes(502);
});

it('a text that SQLite refuses is refused each time', () => {
  const run = statementRunner(file);
  for (let n = 0; n < 2; n += 1) {
    expect(() => run(CompiledQuery.raw('select * from nowhere'), () => undefined)).toThrow('no such table');
  }
});
