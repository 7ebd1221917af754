import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { expect, it } from 'vitest';
import { listAll } from '../../../domain/store/page.ts';
import { createDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';
import { openStore } from '../store.ts';

it('renames the fields of stored requests for networks', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-networks-'));
  try {
    const path = join(directory, 'ingot.db');
    const old = createDatabase(openSqlite(path));
    await migrate(old, path, '0010-unused-columns');
    await old.close();
    const named = [
      { uuid: 'n1', fixed_ip: '10.9.0.9', tag: 'a "b"' },
      { port: 'p1', tag: 't' },
      { uuid: 'n2' },
    ];
    const requests = ['auto', 'none', [], named];
    const file = new SqliteFile(path);
    for (const [index, requested] of requests.entries()) {
      file
        .prepare(
          `insert into servers (uuid, created_at, project_id, user_id, name, hostname, vm_state, power_state,
            reservation_id, launch_index, min_count, requested_networks)
            values (?, 1, 'p', 'u', 'web', 'web', 'active', 1, 'r-1', 0, 1, ?)`,
        )
        .run(`s${index}`, JSON.stringify(requested));
    }
    file.close();
    const store = await openStore({ path });
    const servers = await listAll(store.compute.servers, {});
    await store.close();
    expect(servers.map(({ requestedNetworks }) => requestedNetworks)).toEqual([
      'auto',
      'none',
      [],
      [
        { networkUuid: 'n1', fixedIp: '10.9.0.9', tag: 'a "b"' },
        { portUuid: 'p1', tag: 't' },
        { networkUuid: 'n2' },
      ],
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
