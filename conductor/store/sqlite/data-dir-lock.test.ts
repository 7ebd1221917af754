import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lockDataDir } from './data-dir-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-lock-'));
afterAll(() => rmSync(directory, { recursive: true }));

const HOLDER = `
  import { lockDataDir } from ${JSON.stringify(new URL('./data-dir-lock.ts', import.meta.url).href)};
  lockDataDir(process.argv[1]);
  process.stdout.write('locked\\n');
  setInterval(() => undefined, 1_000_000);
`;

async function holder(dataDir: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

it('is held by one process, and ends when that is killed', async () => {
  const dataDir = join(directory, 'killed');
  const child = await holder(dataDir);
  expect(() => lockDataDir(dataDir)).toThrow(
    `The data directory ${dataDir} is in use by process ${child.pid}: stop that process first`,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDataDir(dataDir).release();
  expect(readdirSync(dataDir)).toEqual(['ingot.lock']);
});

it('is given to one of several processes that start at the same time', async () => {
  const dataDir = join(directory, 'race');
  lockDataDir(dataDir).release();
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', HOLDER, dataDir], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const locked = await Promise.all(
    children.map((child) =>
      Promise.race([once(child.stdout, 'data').then(() => true), once(child, 'exit').then(() => false)]),
    ),
  );
  for (const child of children) child.kill('SIGKILL');
  expect(locked.filter(Boolean)).toHaveLength(1);
});

it('can be taken again after its release', () => {
  const dataDir = join(directory, 'again');
  lockDataDir(dataDir).release();
  const lock = lockDataDir(dataDir);
  expect(() => lockDataDir(dataDir)).toThrow('is in use by process');
  lock.release();
});
