/**
 * `ingot secrets rotate` as an operator runs it: refused while the conductor runs, and killed at any moment without
 * losing a secret.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startAttackedConductor } from './attack/attacked-conductor.ts';

const PROGRAM = resolve(import.meta.dirname, '../bin/ingot.js');
const NODES = 200;
const ROUNDS = 5;
const SPREAD_MS = 900;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-rotate-'));
});
afterEach(() => rm(dir, { recursive: true }));

const rotate = (dataDir: string): ChildProcess =>
  spawn(process.execPath, [PROGRAM, 'secrets', 'rotate', '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
const rotated = (dataDir: string) =>
  promisify(execFile)(process.execPath, [PROGRAM, 'secrets', 'rotate', '--data', dataDir]);

const passwordOf = (index: number): string => `PLANTED-${index}`;

async function plant(path: string): Promise<void> {
  const store = await openStore({ path });
  await store.transaction(async (tx) => {
    for (let index = 0; index < NODES; index += 1) {
      const uuid = `node-${index}`;
      const driverInfo = { ipmi_password: passwordOf(index) };
      const node = { uuid, driver: 'ipmi', interfaces: {}, provisionState: 'enroll', driverInfo } as const;
      await tx.nodes.create(node as never, new Date());
    }
  });
  await store.close();
}

async function expectAll(path: string): Promise<void> {
  const store = await openStore({ path });
  try {
    for (let index = 0; index < NODES; index += 1) {
      const { driverInfo } = await store.nodes.get(`node-${index}`);
      expect(driverInfo['ipmi_password']).toBe(passwordOf(index));
    }
  } finally {
    await store.close();
  }
}

it('is refused while a conductor uses the data directory', async () => {
  await using conductor = await startAttackedConductor();
  const keys = await readFile(join(conductor.dataDir, 'secrets.key'), 'utf8');
  await expect(rotated(conductor.dataDir)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`is in use by process ${conductor.pid}: stop that process first`),
  });
  expect(await readFile(join(conductor.dataDir, 'secrets.key'), 'utf8')).toBe(keys);
  await conductor.stop();
  const { stdout } = await rotated(conductor.dataDir);
  expect(stdout).toMatch(/^\d+ secrets are encrypted with the new key [0-9a-f]{8}\. .*no longer has the key/);
  await conductor.start();
});

it(`loses nothing when it is killed ${ROUNDS} times`, async () => {
  const path = join(dir, 'ingot.db');
  await plant(path);
  const keyIds = () => readFileSync(join(dir, 'secrets.key'), 'utf8').match(/^[0-9a-f]{8}(?= )/gm);
  const first = keyIds();
  const seen = new Set<number | undefined>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = rotate(dir);
    const gone = once(child, 'exit');
    await Promise.race([gone, sleep(200 + (SPREAD_MS * round) / ROUNDS)]);
    child.kill('SIGKILL');
    await gone;
    seen.add(keyIds()?.length);
    await expectAll(path);
  }
  const { stdout } = await rotated(dir);
  expect(stdout).toContain('secrets are encrypted with the new key');
  await expectAll(path);
  expect(keyIds()).toHaveLength(1);
  expect(keyIds()).not.toEqual(first);
  const bytes = await readFile(path, 'latin1');
  expect(bytes).not.toContain(`enc1:${first?.[0]}`);
  expect(bytes).not.toContain('PLANTED');
  expect((await readdir(dir)).toSorted()).toEqual(['ingot.db', 'ingot.lock', 'secrets.key']);
});
