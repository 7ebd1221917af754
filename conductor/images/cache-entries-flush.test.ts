/** An entry is on the disk before it appears under its name: the order of flushes and the rename. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ReadyImage } from '../domain/images.ts';
import { openCacheEntries } from './cache-entries.ts';

const log = vi.hoisted(() => [] as string[]);
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const open: typeof fs.open = async (path, ...more) => {
    const handle = await fs.open(path, ...more);
    const { sync, close } = handle;
    const name = basename(String(path)).replace(/^\.work-.*/, 'directory of the entry');
    handle.sync = async () => {
      await sync.call(handle);
      await turn();
      log.push(`flushed ${name}`);
    };
    handle.close = async () => {
      log.push(`closed ${name}`);
      await close.call(handle);
    };
    return handle;
  };
  const rename: typeof fs.rename = async (from, to) => {
    await fs.rename(from, to);
    log.push('renamed');
  };
  return { ...fs, open, rename };
});

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-cache-flush-'));
});
afterAll(() => rm(dir, { recursive: true }));

it('files and directory of an entry are flushed, then it is renamed, then the cache directory is flushed', async () => {
  const entries = openCacheEntries(dir);
  const work = await entries.begin();
  for (const form of ['raw', 'zst']) await writeFile(join(work, form), form);
  log.length = 0;
  await entries.publish(work, { id: 'ab'.repeat(32) } as ReadyImage);
  const both = (name: string) => [`flushed ${name}`, `closed ${name}`];
  expect(log).toEqual([
    ...both('raw'),
    ...both('zst'),
    ...both('meta.json'),
    ...both('directory of the entry'),
    'renamed',
    ...both(basename(dir)),
  ]);
});
