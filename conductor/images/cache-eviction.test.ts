/**
 * Which entries are removed from a full image cache. Programs that prepare images are replaced by copies of files.
 */
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { rawDisk, sha256Of } from '../../test/fakes/image-files.ts';
import { type ImageServer, startImageServer, whole } from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { createImageCache, type ImageCacheService } from './cache.ts';

vi.mock(import('./compress.ts'), async (original) => ({
  ...(await original()),
  compress: (source, target) => copyFile(source, target),
  sha256: async () => 'ab'.repeat(32),
}));

const BYTES = rawDisk().length;
/** Room for two entries; each consists of an image and its copy. */
const MAX_BYTES = 5 * BYTES;
const HOUR_MS = 3_600_000;

let dir: string;
let server: ImageServer;
let cache: ImageCacheService;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-cache-eviction-'));
  server = await startImageServer();
  cache = createImageCache({ dir, maxBytes: MAX_BYTES, fileAllow: [] }, loopbackOutbound);
});
afterEach(async () => {
  await cache.stop();
  await server.close();
  await rm(dir, { recursive: true });
});

/** Prepares an image with its own content; returns its id in the cache. */
async function prepare(fill: number): Promise<string> {
  const disk = rawDisk(fill);
  server.answers.set(`/${fill}`, whole(disk));
  const digest = { algorithm: 'sha256', value: sha256Of(disk) } as const;
  const { id } = await cache.ensure(
    { source: server.url(`/${fill}`), digest, diskFormat: 'raw' },
    { signal: new AbortController().signal },
  );
  return id;
}
/** Sets the last use of the entry to so many hours ago. */
async function age(id: string, hours: number): Promise<void> {
  const at = new Date(Date.now() - hours * HOUR_MS);
  await utimes(join(dir, id, 'meta.json'), at, at);
}
const kept = (...ids: string[]) => ids.map((id) => existsSync(join(dir, id)));

it('the least recently used entry is removed before the new one is ready', async () => {
  const [first, second] = [await prepare(1), await prepare(2)];
  await age(first, 1);
  await age(second, 2);
  const third = await prepare(3);
  expect(kept(first, second, third)).toEqual([true, false, true]);
  expect(readdirSync(dir).toSorted()).toEqual([first, third].toSorted());
  expect((await readFile(join(dir, third, 'raw'))).length).toBe(BYTES);
});

it('removes no more entries than needed', async () => {
  const [first, second] = [await prepare(1), await prepare(2)];
  expect(kept(first, second)).toEqual([true, true]);
  await age(first, 2);
  await age(second, 1);
  const third = await prepare(3);
  expect(kept(first, second, third)).toEqual([false, true, true]);
});

it('keeps an entry until it has been sent', async () => {
  const [first, second] = [await prepare(1), await prepare(2)];
  const sending = (await cache.serve(first, 'raw'))!;
  await age(first, 2);
  await age(second, 1);
  const third = await prepare(3);
  expect(kept(first, second, third)).toEqual([true, false, true]);
  sending.release();
  await age(first, 2);
  const fourth = await prepare(4);
  expect(kept(first, third, fourth)).toEqual([false, true, true]);
});

it('keeps entries that were used within 15 minutes, although the cache is too large', async () => {
  const [first, second] = [await prepare(1), await prepare(2)];
  await age(first, 0.24);
  await age(second, 0.24);
  const third = await prepare(3);
  expect(kept(first, second, third)).toEqual([true, true, true]);
  await age(first, 0.26);
  const fourth = await prepare(4);
  expect(kept(first, second, third, fourth)).toEqual([false, true, true, true]);
});
