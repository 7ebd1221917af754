import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NOW, newNode } from '../conformance/samples.ts';
import { openStore } from './store.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ingot-sqlite-store-'));
  path = join(directory, 'ingot.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A database whose first migration fails, because the table `nodes` exists. */
function foreignDatabase(): void {
  const file = new SqliteFile(path);
  file.exec('create table nodes (id integer)');
  file.close();
}

it('tells which migrations it ran, and nothing when there were none', async () => {
  const info = vi.fn();
  await (await openStore({ path, logger: { info } })).close();
  expect(info).toHaveBeenCalledExactlyOnceWith(
    { path, migrations: expect.arrayContaining(['0001-initial', '0002-declined-addresses']) },
    'database schema brought up to date',
  );
  await (await openStore({ path, logger: { info } })).close();
  expect(info).toHaveBeenCalledTimes(1);
});

it('closes the database before it tells that a migration failed', async () => {
  foreignDatabase();
  const close = vi.spyOn(SqliteFile.prototype, 'close');
  try {
    let closedFirst: boolean | undefined;
    await expect(
      openStore({ path }).catch((error: unknown) => {
        closedFirst = close.mock.calls.length > 0;
        throw error;
      }),
    ).rejects.toThrow('already exists');
    expect(closedFirst).toBe(true);
  } finally {
    close.mockRestore();
  }
});

it('a closed store has closed its file: SQLite has put the log into it and removed the log', async () => {
  const store = await openStore({ path });
  await store.nodes.create(newNode(), NOW);
  expect(readdirSync(directory)).toContain('ingot.db-wal');
  await store.close();
  expect(readdirSync(directory).toSorted()).toEqual(['ingot.db', 'secrets.key']);
});

it('each part of the store is one object, in a transaction too', async () => {
  const store = await openStore({ path: ':memory:' });
  expect(store.nodes).toBe(store.nodes);
  expect(Object.keys(store)).toEqual(expect.arrayContaining(['nodes', 'ports', 'compute', 'transaction']));
  await store.transaction(async (tx) => {
    expect(tx.nodes).toBe(tx.nodes);
    expect(tx.compute.flavors).toBe(tx.compute.flavors);
    expect(tx.nodes).not.toBe(store.nodes);
  });
  await store.close();
});

it('a transaction cannot close the store', async () => {
  const store = await openStore({ path: ':memory:' });
  await expect(store.transaction((tx) => tx.close())).rejects.toThrow('a transaction cannot close the store');
  await store.nodes.create(newNode(), NOW);
  await store.close();
});
