import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';
import { openStore } from '../store.ts';

it('gives what an older version waited for its kind', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-waits-'));
  try {
    const path = join(directory, 'ingot.db');
    const old = createDatabase(openSqlite(path));
    await migrate(old, path, '0008-history-details');
    await old.close();
    const texts = [
      ['agent to call back', 'agent'],
      ['agent to report', 'agent'],
      ['an operator to say "unhold"', 'operator'],
      ['image to be prepared', 'image'],
      ['fake hardware to end deploy.deploy', 'hardware'],
      ['30 s to pass', 'time'],
      ['write_image', 'command'],
      [null, null],
    ] as const;
    const file = new SqliteFile(path);
    for (const [index, [text]] of texts.entries()) {
      file
        .prepare(
          "insert into nodes (uuid, driver, provision_state, interfaces, created_at) values (?, 'ipmi', 'deploying', '{}', 1)",
        )
        .run(`n${index}`);
      file
        .prepare(
          "insert into operations (node_uuid, kind, args, state, cursor, steps, waiting_for, started_at) values (?, 'deploy', '{}', 'waiting', 0, '[]', ?, 1)",
        )
        .run(`n${index}`, text);
    }
    file.close();
    const store = await openStore({ path });
    const waits = (await store.operations.unfinished()).map(({ waitingFor }) => waitingFor);
    await store.close();
    expect(waits).toEqual(texts.map(([text, kind]) => text && { kind, text }));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
