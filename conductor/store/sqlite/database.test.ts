import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOW, newNode } from '../conformance/samples.ts';
import {
  createDatabase,
  type Database,
  explaining,
  prepared,
  preparedFor,
  readSecrets,
  secretsOf,
  writeSecrets,
} from './database.ts';
import { migrate } from './migrate.ts';
import { createNodeStore } from './nodes.ts';
import type { SecretChange } from './seal.ts';
import { openSqlite } from './sqlite.ts';

let db: Database;
beforeEach(async () => {
  db = createDatabase(openSqlite(':memory:'));
  await migrate(db, ':memory:');
});
afterEach(() => db.close());

const tokens = async (on = db) =>
  (await on.query.selectFrom('revoked_tokens').select('id').orderBy('id').execute()).map(({ id }) => id);
const addToken = (on: Database, id: string) =>
  on.run(CompiledQuery.raw('insert into revoked_tokens (id, expires_at) values (?, 1)', [id]));

describe('a transaction', () => {
  it('gives the result of its work, and keeps what it wrote', async () => {
    const result = await db.atomic(async (within) => {
      await addToken(within, 't1');
      expect(await tokens(within)).toEqual(['t1']);
      return 'result';
    });
    expect([result, await tokens()]).toEqual(['result', ['t1']]);
  });

  it('within a transaction is the same one', async () => {
    const work = db.atomic(async (within) => {
      await within.atomic(async (inner) => {
        expect(inner).toBe(within);
        await addToken(inner, 't1');
      });
      throw new Error('outer');
    });
    await expect(work).rejects.toThrow('outer');
    expect(await tokens()).toEqual([]);
  });

  it('of kysely cannot begin in its work', async () => {
    const work = db.atomic((within) => within.query.transaction().execute(async () => 'nested'));
    await expect(work).rejects.toThrow('the work of a transaction neither begins nor ends one');
  });
});

describe('explaining', () => {
  const twice = async () => {
    await addToken(db, 't1');
    await addToken(db, 't1');
  };

  it('turns a broken constraint into an error with a meaning', async () => {
    const explain = vi.fn(() => new Error('taken'));
    await expect(explaining(db, explain, twice)).rejects.toThrow('taken');
    expect(explain).toHaveBeenCalledWith({ kind: 'unique', column: 'revoked_tokens.id' });
  });

  it('passes on what has no explanation, and what is no broken constraint', async () => {
    await expect(explaining(db, () => undefined, twice)).rejects.toThrow('UNIQUE constraint failed');
    const explain = vi.fn(() => new Error('taken'));
    await expect(explaining(db, explain, () => Promise.reject(new Error('other')))).rejects.toThrow('other');
    expect(explain).not.toHaveBeenCalled();
    expect(await explaining(db, explain, async () => 'fine')).toBe('fine');
  });
});

describe('a prepared query', () => {
  it('is built once for a database, and takes the values of each call', async () => {
    const build = vi.fn((on: Database, placeholders: { id: string }) =>
      on.query.selectFrom('revoked_tokens').select('id').where('id', '=', placeholders.id),
    );
    const find = prepared(build);
    for (const id of ['t1', 't2']) await addToken(db, id);
    expect((await find(db, { id: 't1' })).rows).toEqual([{ id: 't1' }]);
    expect((await find(db, { id: 't2' })).rows).toEqual([{ id: 't2' }]);
    await db.atomic(async (within) => {
      expect((await find(within, { id: 't3' })).rows).toEqual([]);
    });
    expect(build).toHaveBeenCalledTimes(1);

    const other = createDatabase(openSqlite(':memory:'));
    await migrate(other, ':memory:');
    expect((await find(other, { id: 't1' })).rows).toEqual([]);
    expect(build).toHaveBeenCalledTimes(2);
    await other.close();
  });

  it('is built once for each set of columns, and a bounded number of them is kept', async () => {
    const build = vi.fn((_: Database, placeholders: Record<string, number>, names: readonly string[]) => ({
      compile: () =>
        sql`select ${sql.join(names.map((name) => sql`${placeholders[name]} as ${sql.ref(name)}`))}`.compile(
          db.query,
        ),
    }));
    const select = preparedFor<Record<string, number>, object>(build);
    const ask = async (...names: string[]) => {
      const { rows } = await select(db, names, Object.fromEntries(names.map((name, at) => [name, at])));
      return Object.values(rows[0]!);
    };
    expect(await ask('a', 'b')).toEqual([0, 1]);
    expect(await ask('a', 'b')).toEqual([0, 1]);
    expect(build).toHaveBeenCalledTimes(1);
    for (let n = 1; n < 200; n += 1) await ask(`x${n}`);
    await ask('a', 'b');
    expect(build).toHaveBeenCalledTimes(200);
    await ask('one more');
    await ask('a', 'b');
    expect(build).toHaveBeenCalledTimes(202);
  });
});

describe('secrets', () => {
  const change = (fields: string[], put: [string, string][] = [], keep: string[] = []): SecretChange => ({
    fields,
    put: new Map(put),
    keep,
  });
  const stored = async () => {
    const row = await db.query
      .selectFrom('nodes')
      .select(secretsOf(db, 'node'))
      .where('uuid', '=', 'n1')
      .executeTakeFirstOrThrow();
    return readSecrets(db, 'node', 'n1', row.secrets);
  };
  beforeEach(async () => {
    const nodes = createNodeStore(db);
    for (const uuid of ['n1', 'n2']) await nodes.create(newNode({ uuid }), NOW);
  });

  it('a row without any has no object of them', async () => {
    expect(await stored()).toBeUndefined();
    expect([readSecrets(db, 'node', 'n1', null), readSecrets(db, 'node', 'n1', '{}')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('are those of their row, as the change of a field leaves them', async () => {
    const first = change(
      ['driverInfo'],
      [
        ['/driverInfo/a', 'A'],
        ['/driverInfo/b', 'B'],
      ],
    );
    const kept = await writeSecrets(db, 'node', 'n1', undefined, first);
    await writeSecrets(db, 'node', 'n2', undefined, change(['driverInfo'], [['/driverInfo/a', 'other']]));
    expect([...kept]).toEqual([
      ['/driverInfo/a', 'A'],
      ['/driverInfo/b', 'B'],
    ]);
    expect(await stored()).toEqual(kept);

    const second = change(['driverInfo'], [['/driverInfo/c', 'C']], ['/driverInfo/b']);
    const after = await writeSecrets(db, 'node', 'n1', await stored(), second);
    expect([...after.keys()].toSorted()).toEqual(['/driverInfo/b', '/driverInfo/c']);
    expect(await stored()).toEqual(after);
  });

  it('of a field that was not written stay, also when its name begins like one that was', async () => {
    const both = change(
      ['driver', 'driverInfo', 'agentToken'],
      [
        ['/driverInfo/a', 'A'],
        ['/driver/a', 'D'],
        ['/agentToken', 'T'],
      ],
    );
    await writeSecrets(db, 'node', 'n1', undefined, both);
    await writeSecrets(db, 'node', 'n1', await stored(), change(['driver']));
    expect([...((await stored()) ?? new Map()).keys()].toSorted()).toEqual(['/agentToken', '/driverInfo/a']);
    await writeSecrets(db, 'node', 'n1', await stored(), change(['agentToken']));
    expect([...((await stored()) ?? new Map()).keys()]).toEqual(['/driverInfo/a']);
  });
});
