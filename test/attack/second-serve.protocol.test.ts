/** A second `ingot serve` on the data directory of a running one is refused before it touches anything. */
import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '../conformance/server-process.ts';
import { startAttackedConductor } from './attacked-conductor.ts';

const PROGRAM = resolve(import.meta.dirname, '../../bin/ingot.js');
const LIMIT_MS = 15_000;

/** Runs `ingot serve` until it ends, or until the limit. */
async function serve(dataDir: string, port: number) {
  const args = [PROGRAM, 'serve', '--data', dataDir, '--listen', `127.0.0.1:${port}`];
  const env = { PATH: process.env['PATH'] };
  return promisify(execFile)(process.execPath, args, { env, timeout: LIMIT_MS }).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number | null; stderr: string }) => ({ code, stderr }),
  );
}

/** Name, size and time of the last change of every file but the log of SQLite, which the first one writes. */
async function filesIn(dir: string) {
  const names = (await readdir(dir, { recursive: true })).toSorted();
  const all = names.filter((name) => !/-(wal|shm)$/.test(name));
  return Promise.all(
    all.map(async (name) => {
      const { size, mtimeMs, ino } = await stat(join(dir, name));
      return { name, size, mtimeMs, ino };
    }),
  );
}

it('a second conductor on one data directory touches nothing, and the first goes on', async () => {
  await using conductor = await startAttackedConductor();
  const { node } = await conductor.fakeNode();
  const before = await filesIn(conductor.dataDir);
  const second = await serve(conductor.dataDir, await freePort());
  expect(second.code).toBe(1);
  expect(second.stderr).toBe(
    `ingot: The data directory ${conductor.dataDir} is in use by process ${conductor.pid}: stop that process first, or use another directory (data_dir, --data).\n`,
  );
  expect(await filesIn(conductor.dataDir)).toEqual(before);
  expect((await conductor.api('GET', `/v1/nodes/${node}`)).status).toBe(200);
  expect(await readFile(join(conductor.dataDir, 'ingot.lock'))).not.toHaveLength(0);
});

it('a killed conductor leaves nothing that keeps the next one out', async () => {
  await using conductor = await startAttackedConductor();
  await conductor.kill();
  await conductor.start();
  expect((await conductor.api('GET', '/v1/nodes')).status).toBe(200);
});
