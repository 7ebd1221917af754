/** The programs of this room do not see the conductor's environment, which may contain passwords. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Node } from '../domain/node.ts';
import { compress } from './compress.ts';
import { createConfigDriveBuilder } from './config-drive.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-environment-'));
  vi.stubEnv('PATH', `${dir}:${process.env['PATH']}`);
  vi.stubEnv('INGOT_KEYSTONE_PASSWORD', 'PLANTED-password');
  vi.stubEnv('OS_TOKEN', 'PLANTED-token');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

/** A program in front of the real one that writes its environment to a file. */
async function listensIn(program: string): Promise<() => Promise<string[]>> {
  const [path, seen] = [join(dir, program), join(dir, `${program}.env`)];
  await writeFile(path, `#!/bin/sh\nenv > '${seen}'\nexit 1\n`);
  await chmod(path, 0o755);
  return async () => {
    const lines = (await readFile(seen, 'utf8')).trim().split('\n');
    // The shell sets these itself.
    return lines
      .map((line) => line.split('=')[0] ?? '')
      .filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name));
  };
}

it.each(['zstd', 'genisoimage'])('%s', async (program) => {
  const seen = await listensIn(program);
  const { signal } = new AbortController();
  const work =
    program === 'zstd'
      ? compress(join(dir, 'raw'), join(dir, 'out'), signal)
      : createConfigDriveBuilder().build({ meta_data: {} }, { uuid: 'u', name: null } as Node, signal);
  await expect(work).rejects.toThrow(`in ${program}`);
  expect((await seen()).toSorted()).toEqual(['LANG', 'LC_ALL', 'PATH']);
});
