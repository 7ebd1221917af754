import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';
import { openStore } from '../store.ts';

it('keeps the servers of an older version', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-columns-'));
  try {
    const path = join(directory, 'ingot.db');
    const old = createDatabase(openSqlite(path));
    await migrate(old, path, '0009-typed-waits');
    await old.close();
    const file = new SqliteFile(path);
    file.exec(`insert into servers (uuid, created_at, project_id, user_id, name, hostname, vm_state, power_state,
      reservation_id, launch_index, min_count, preserves_ephemeral)
      values ('s1', 1, 'p', 'u', 'web', 'web', 'active', 1, 'r-1', 0, 1, 1)`);
    file.close();
    const store = await openStore({ path });
    const server = await store.compute.servers.find('s1');
    await store.close();
    expect(server).toMatchObject({ name: 'web', vmState: 'active', minCount: 1 });
    expect(server).not.toHaveProperty('preservesEphemeral');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
