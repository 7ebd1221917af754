/** The store on SQLite: the conformance tests, and tests that need a file. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL, expectError, NOW, newNode, SESSION, step } from './conformance/samples.ts';
import { storeConformance } from './conformance.ts';
import { createDatabase } from './sqlite/database.ts';
import { migrate } from './sqlite/migrate.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { openStore } from './sqlite/store.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-store-'));
afterAll(() => rmSync(directory, { recursive: true }));
const newPath = () => join(directory, `${randomUUID()}.db`);

storeConformance('in memory', () => openStore({ path: ':memory:' }));
storeConformance('in a file', () => openStore({ path: newPath() }));

describe('the file', () => {
  it('is for its owner only, with its directory and its journal', async () => {
    const path = join(directory, 'made', 'here', 'ingot.db');
    const store = await openStore({ path });
    await store.nodes.create(newNode(), NOW);
    const mode = (of: string) => (statSync(of).mode & 0o777).toString(8);
    expect(mode(join(directory, 'made'))).toBe('700');
    expect(mode(join(directory, 'made', 'here'))).toBe('700');
    expect([mode(path), mode(`${path}-wal`), mode(`${path}-shm`)]).toEqual(['600', '600', '600']);
    await store.close();
  });

  it('is closed to others when it was not, and the directory of others is left alone', async () => {
    const place = join(directory, 'shared');
    mkdirSync(place, { mode: 0o755 });
    const path = join(place, 'ingot.db');
    writeFileSync(path, '', { mode: 0o644 });
    await (await openStore({ path })).close();
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(place).mode & 0o777).toString(8)).toBe('755');
  });

  it('keeps everything over a restart, and is not migrated twice', async () => {
    const path = newPath();
    const messages: string[] = [];
    const logger = { info: (_: object, message: string) => void messages.push(message) };
    const first = await openStore({ path, logger });
    const node = await first.nodes.create(
      newNode({ driverInfo: { ipmi_password: 'p' }, agent: SESSION }),
      NOW,
    );
    await first.close();
    const second = await openStore({ path, logger });
    expect(await second.nodes.find(node.uuid)).toEqual(node);
    expect(messages).toEqual(['database schema brought up to date']);
    await second.close();
  });

  it('of the first version gets what came later, and keeps what it had', async () => {
    const path = newPath();
    const first = createDatabase(openSqlite(path));
    await migrate(first, path, '0001-initial');
    await first.query
      .insertInto('nodes')
      .values({ uuid: 'old', driver: 'ipmi', provision_state: 'active', interfaces: '{}', created_at: 1 })
      .execute();
    await first.close();
    const second = await openStore({ path });
    expect(await second.nodes.find('old')).toMatchObject({
      provisionState: 'active',
      chassisUuid: null,
      raidConfig: {},
    });
    expect(await second.leases.declined(NOW)).toEqual([]);
    expect(await second.chassis.list({}, ALL)).toEqual([]);
    await second.close();
  });

  it('of a newer version is refused, untouched', async () => {
    const path = newPath();
    await (await openStore({ path })).close();
    const file = new SqliteFile(path);
    file.exec("insert into ingot_migrations values ('0099-future', '2031-01-01')");
    file.close();
    await expectError(openStore({ path }), 'unsupported', 'newer version (it has the migration 0099-future)');
  });

  it('that is no database is refused', async () => {
    const path = newPath();
    writeFileSync(path, 'not a database, but long enough to be taken for one at first sight'.repeat(20));
    await expect(openStore({ path })).rejects.toThrow(/not a database/);
  });

  it('waits for every write of a group, and a refused one does not hurt the others', async () => {
    const path = newPath();
    const store = await openStore({ path });
    const beside = new SqliteFile(path, { readonly: true });
    const count = () => beside.prepare('select count(*) from nodes').pluck().get();
    const writes = await Promise.allSettled([
      store.nodes.create(newNode({ name: 'a' }), NOW),
      store.nodes.create(newNode({ name: 'a' }), NOW),
      store.nodes.create(newNode({ name: 'b' }), NOW),
    ]);
    expect(writes.map((write) => write.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(count()).toBe(2);
    const more = Array.from({ length: 600 }, () =>
      store.nodes.create(newNode(), NOW).then(() => Number(count())),
    );
    const seen = await Promise.all(more);
    // Each caller finds its own write on disk: the n-th result sees at least n of the writes.
    expect(seen.every((nodes, index) => nodes >= index + 3)).toBe(true);
    beside.close();
    await store.close();
  });

  it('refuses a field it has no column for', async () => {
    const store = await openStore({ path: ':memory:' });
    const patch = { nope: 1 } as unknown as { name: string };
    const { uuid } = await store.nodes.create(newNode(), NOW);
    await expect(store.nodes.update(uuid, patch, NOW)).rejects.toThrow('no column for the field nope');
    await store.close();
  });
});

describe('secrets in the file', () => {
  it('are encrypted in the table of secrets, and leave no trace when they go', async () => {
    const path = newPath();
    const store = await openStore({ path });
    const planted = (name: string) => `PLANTED-${name}`;
    const { uuid } = await store.nodes.create(
      newNode({
        driverInfo: {
          ipmi_password: planted('bmc'),
          snmp_auth_key: planted('snmp'),
          deep: [{ token: planted('deep') }],
        },
        instanceInfo: { image_url: planted('url'), configdrive: planted('drive') },
        driverInternalInfo: { agent_secret_token: planted('internal') },
        agent: { ...SESSION, token: planted('agent') },
      }),
      NOW,
    );
    const operation = await store.operations.create(
      {
        nodeUuid: uuid,
        kind: 'rescue',
        args: { rescue_password: planted('rescue'), configdrive: { user_data: planted('user-data') } },
        steps: [step('a', { args: { image_pull_secret: planted('pull') } })],
      },
      NOW,
    );
    await store.operations.updateStep(operation.id, 0, { memo: { agent_token: planted('memo') } });
    await store.nodes.update(uuid, { currentStep: step('a', { args: { password: planted('step') } }) }, NOW);

    const file = new SqliteFile(path, { readonly: true });
    const tables = file
      .prepare("select name from sqlite_schema where type = 'table'")
      .pluck()
      .all() as string[];
    const dump = (table: string) => JSON.stringify(file.prepare(`select * from "${table}"`).all());
    expect(tables).toContain('secrets');
    for (const table of tables) expect(dump(table), table).not.toContain('PLANTED');
    expect(dump('secrets').match(/enc1:/g)).toHaveLength(12);

    await store.operations.update(operation.id, { state: 'done', finishedAt: NOW });
    expect(dump('secrets').match(/enc1:/g)).toHaveLength(8);
    await store.nodes.delete(uuid);
    expect(dump('secrets')).toBe('[]');
    file.close();
    await store.close();

    const { readFileSync } = await import('node:fs');
    expect(readFileSync(path, 'latin1')).not.toContain('PLANTED');
  });
});
