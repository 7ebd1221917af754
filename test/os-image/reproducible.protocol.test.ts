/**
 * Two builds of the test operating system have the same bytes in any directory, with any umask and at any time. An
 * unchanged system is not built again.
 */
import { mkdtemp, open, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from '@ingot/ramdisk-build/run.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOsImage, type OsImage } from './build.ts';

const CACHE = resolve(import.meta.dirname, '../../.cache');
const MEBI = 1024 * 1024;
const signal = AbortSignal.timeout(600_000);
let scratch: string;
let first: OsImage;
let second: OsImage;

async function build(name: string, umask: number): Promise<OsImage> {
  const before = process.umask(umask);
  try {
    return await buildOsImage({ outDir: join(scratch, name), cacheDir: CACHE, signal });
  } finally {
    process.umask(before);
  }
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'ingot-os-twice-'));
  first = await build('a', 0o022);
  second = await build('deeper/b', 0o077);
}, 600_000);
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** First mebibyte of the disk in which the two differ; the partitions begin at 1, 2 and 18. */
async function firstDifference(): Promise<number | undefined> {
  const raws = [first, second].map((_, i) => join(scratch, `${i}.raw`)) as [string, string];
  for (const [i, { path }] of [first, second].entries())
    await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', path, raws[i]!], { signal });
  const [a, b] = [await open(raws[0]), await open(raws[1])];
  try {
    for (let mebi = 0; mebi * MEBI < first.virtualSizeBytes; mebi += 1) {
      const [left, right] = [Buffer.alloc(MEBI), Buffer.alloc(MEBI)];
      await a.read(left, 0, MEBI, mebi * MEBI);
      await b.read(right, 0, MEBI, mebi * MEBI);
      if (!left.equals(right)) return mebi;
    }
    return undefined;
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
}

it('is the same disk, and the same file', async () => {
  expect(await firstDifference()).toBeUndefined();
  expect(second.sha256).toBe(first.sha256);
  expect(second.bytes).toBe(first.bytes);
});

it('is built again only when something has changed or the file is incomplete', async () => {
  const longAgo = new Date('2020-01-01');
  await utimes(first.path, longAgo, longAgo);
  expect(await build('a', 0o022)).toEqual(first);
  expect((await stat(first.path)).mtime).toEqual(longAgo);
  await writeFile(first.path, 'cut off');
  expect((await build('a', 0o022)).sha256).toBe(second.sha256);
  expect((await stat(first.path)).size).toBe(second.bytes);
}, 300_000);
