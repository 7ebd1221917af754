/** Jobs of the cache up to the programs that prepare images; cache.protocol.test.ts includes these. */
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImageServer, stalled, startImageServer, whole } from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { qcow2Image } from '../../test/fakes/qcow2-image.ts';
import type { ImageProgress, ImageRequest } from '../domain/images.ts';
import { createImageCache, type ImageCacheService, type ImageCacheSettings } from './cache.ts';
import { openCacheEntries } from './cache-entries.ts';

const BODY = Buffer.alloc(100_000, 1);
const digest = { algorithm: 'sha256', value: 'ab'.repeat(32) } as const;

let dir: string;
let server: ImageServer;
let cache: ImageCacheService;

const cacheOf = (more: Partial<ImageCacheSettings> = {}): ImageCacheService =>
  createImageCache({ dir, maxBytes: 1_000_000, fileAllow: [], ...more }, loopbackOutbound);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-cache-'));
  server = await startImageServer({ '/stalled': stalled(BODY) });
  cache = cacheOf();
});
afterEach(async () => {
  await cache.stop();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const image = (path = '/stalled'): ImageRequest => ({ source: server.url(path), digest });
const idOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A caller that waits for the image. `leave` cancels it; `seen` contains the reported phases. */
function caller(request = image(), from = cache) {
  const controller = new AbortController();
  const seen: ImageProgress['phase'][] = [];
  const outcome = from
    .ensure(request, { signal: controller.signal, onProgress: ({ phase }) => seen.push(phase) })
    .catch((error: Error) => error.message);
  return { outcome, seen, leave: () => controller.abort(new Error('the caller left')) };
}

async function publish(id: string): Promise<void> {
  const entries = openCacheEntries(dir);
  const work = await entries.begin();
  for (const form of ['raw', 'zst']) await writeFile(join(work, form), form);
  const file = { sizeBytes: 3, digest };
  await entries.publish(work, { id, ...file, compressed: file });
}

describe('an image that several callers request', () => {
  it('is fetched once, and the fetch ends when the last caller has left', async () => {
    const [first, second] = [caller(), caller()];
    await expect.poll(() => [first.seen.length, second.seen.length].every((count) => count > 0)).toBe(true);
    expect(server.asked).toEqual(['GET /stalled']);
    first.leave();
    expect(await first.outcome).toBe('the caller left');
    const heard = first.seen.length;
    expect(readdirSync(dir)).toHaveLength(1);
    second.leave();
    expect(await second.outcome).toBe('the caller left');
    await expect.poll(() => readdirSync(dir)).toEqual([]);
    expect(first.seen).toHaveLength(heard);
  });

  it('is fetched again for a caller that comes when all others have left', async () => {
    const first = caller();
    await expect.poll(() => first.seen.length).toBeGreaterThan(0);
    first.leave();
    const second = caller();
    await first.outcome;
    await expect.poll(() => second.seen.length).toBeGreaterThan(0);
    expect(server.asked).toHaveLength(2);
    second.leave();
    await second.outcome;
  });

  it('fails for all of them, and may be tried again', async () => {
    const callers = [caller(image('/absent')), caller(image('/absent'))];
    for (const { outcome } of callers) expect(await outcome).toContain('the server answered HTTP 404');
    expect(server.asked).toHaveLength(1);
    expect(await caller(image('/absent')).outcome).toContain('HTTP 404');
    expect(server.asked).toHaveLength(2);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is rejected when it is not a disk, or contains a disk that is too large', async () => {
    const digestOf = (data: Buffer) =>
      ({ algorithm: 'sha256', value: createHash('sha256').update(data).digest('hex') }) as const;
    const large = qcow2Image(undefined, { virtualSize: 1_000_448n });
    server.answers.set('/text', whole('no disk'));
    server.answers.set('/large', whole(large));
    const text = caller({ ...image('/text'), digest: digestOf(Buffer.from('no disk')) });
    expect(await text.outcome).toContain('the image was refused: it has no partition table');
    expect(new Set(text.seen)).toEqual(new Set(['fetch', 'inspect']));
    expect(await caller({ ...image('/large'), digest: digestOf(large) }).outcome).toContain(
      'the image contains a disk of 1000448 bytes, but the image cache is limited to 1000000',
    );
    expect(await caller({ ...image('/large') }).outcome).toContain('digest does not match');
    expect(readdirSync(dir)).toEqual(['refused']);
  });

  it('is not fetched again when it was refused, also by the next conductor', async () => {
    const data = Buffer.from('no disk');
    server.answers.set('/text', whole(data));
    const request = image('/text');
    const digest = { algorithm: 'sha256', value: createHash('sha256').update(data).digest('hex') } as const;
    const first = await caller({ ...request, digest }).outcome;
    expect(first).toContain('the image was refused: it has no partition table');
    expect(await caller({ ...request, digest }).outcome).toBe(first);
    expect(await caller({ ...request, digest }, cacheOf()).outcome).toBe(first);
    expect(server.asked).toHaveLength(1);
  });

  it('is a different image with another format', async () => {
    const callers = [caller(image('/absent')), caller({ ...image('/absent'), diskFormat: 'raw' })];
    await Promise.all(callers.map(({ outcome }) => outcome));
    expect(server.asked).toHaveLength(2);
  });
});

describe('a source', () => {
  it('has the time limits of the settings, for the whole transfer and without data', async () => {
    const slow = cacheOf({ fetchLimitMs: 50 });
    expect(await caller(image(), slow).outcome).toContain('was not fetched within 0.05 s');
    const silent = cacheOf({ stallMs: 50 });
    expect(await caller(image(), silent).outcome).toContain('the server stopped sending');
  });

  it('is cancelled when the conductor stops, which waits for its end', async () => {
    const waiting = caller();
    await expect.poll(() => waiting.seen.length).toBeGreaterThan(0);
    await cache.stop();
    expect(readdirSync(dir)).toEqual([]);
    expect(await waiting.outcome).toBe('The conductor is shutting down.');
  });

  it('is not fetched when the caller has left before, or the request is invalid', async () => {
    const controller = new AbortController();
    controller.abort(new Error('too late'));
    await expect(cache.ensure(image(), { signal: controller.signal })).rejects.toThrow('too late');
    const { digest: _, ...without } = image();
    expect(await caller(without).outcome).toContain('image_checksum is missing');
    expect(server.asked).toEqual([]);
  });
});

describe('prepared images', () => {
  /** Its port differs between tests. */
  const idNow = (): string => idOf(`${server.url('/stalled')}\0sha256:${digest.value}\0`);

  it('are returned without a request to their source', async () => {
    const id = idNow();
    await publish(id);
    expect(await caller(image()).outcome).toMatchObject({ id });
    expect(server.asked).toEqual([]);
  });

  it('are not returned for another source, whoever knows their digest', async () => {
    await publish(idNow());
    expect(await caller(image('/absent')).outcome).toContain('HTTP 404');
    expect(await cache.prepared([image('/absent')])).toEqual([]);
  });

  it('of the image service are the same for both forms of their name', async () => {
    const uuid = randomUUID();
    await publish(idOf(`glance://${uuid}\0sha256:${digest.value}\0raw`));
    const named = [uuid, uuid.toUpperCase(), `glance://${uuid}`].map((source) => ({
      source,
      digest,
      diskFormat: 'raw',
    }));
    expect(await cache.prepared([...named, { ...named[0]!, source: randomUUID() }])).toEqual(named);
  });

  it('are known by digest and format', async () => {
    const id = idNow();
    await publish(id);
    const { digest: _, ...without } = image();
    const requests = [image(), { ...image(), diskFormat: 'raw' }, without];
    expect(await cache.prepared(requests)).toEqual([image()]);
  });

  it('are served as files; unknown ids are not', async () => {
    const id = idNow();
    await publish(id);
    const served = await cache.serve(id, 'zst');
    expect(served?.path).toBe(join(dir, id, 'zst'));
    served?.release();
    expect(await cache.serve(idOf('another'), 'raw')).toBeUndefined();
  });

  it('lose incomplete entries of an earlier run', async () => {
    const id = idNow();
    await publish(id);
    await openCacheEntries(dir).begin();
    await cache.sweep();
    expect(readdirSync(dir)).toEqual([id]);
  });
});
