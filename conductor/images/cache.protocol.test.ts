/** The image cache with the real programs (zstd, sha256sum, qemu-img) and images from a server on loopback. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployingNode } from '../../test/fakes/deploying-node.ts';
import { type ImageServer, startImageServer, whole } from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { ImageRequest, ReadyImage } from '../domain/images.ts';
import { createImageCache, type ImageCacheService, type ImageCacheSettings } from './cache.ts';
import { registerImages } from './routes.ts';

const MEBI = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** A disk with an MBR and one partition whose content does not compress. */
function disk(): Buffer {
  const image = randomBytes(MEBI);
  image.fill(0, 0, 512);
  image[446 + 4] = 0x83;
  image.writeUInt32LE(1, 446 + 8);
  image.writeUInt32LE(MEBI / 512 - 1, 446 + 12);
  image.writeUInt16LE(0xaa55, 510);
  return image;
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let dir: string;
let server: ImageServer;
let cache: ImageCacheService;
const open = (more: Partial<ImageCacheSettings> = {}) =>
  createImageCache(
    { dir: join(dir, 'cache'), fileAllow: [dir], maxBytes: 64 * MEBI, ...more },
    loopbackOutbound,
  );
const inCache = async () => (existsSync(join(dir, 'cache')) ? await readdir(join(dir, 'cache')) : []);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-cache-'));
  server = await startImageServer();
  cache = open();
});
afterEach(async () => {
  await cache.stop();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

/** Puts a new image on the server; returns the image and a request for it. */
function offer(path: string, image = disk()): { image: Buffer; request: ImageRequest } {
  server.answers.set(path, whole(image));
  return {
    image,
    request: { source: server.url(path), digest: { algorithm: 'sha256', value: sha256(image) } },
  };
}
const signal = new AbortController().signal;
const ensure = (request: ImageRequest, by = cache) => by.ensure(request, { signal });

/** Delays the answer to `path` until `letGo`; `asked` resolves at the first request for it. */
function gate(path: string): { asked: Promise<void>; letGo(): void; cut: Promise<void> } {
  const answer = server.answers.get(path)!;
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const cut = Promise.withResolvers<void>();
  server.answers.set(path, (request, response) => {
    response.once('close', () => cut.resolve());
    void go.promise.then(() => answer(request, response));
    asked.resolve();
  });
  return { asked: asked.promise, letGo: () => go.resolve(), cut: cut.promise };
}

describe('preparing', () => {
  it('stores a raw image unchanged and compressed, with the digests of both', async () => {
    const { image, request } = offer('/a');
    const ready = await ensure(request);
    const [raw, zst] = await Promise.all(
      ['raw', 'zst'].map((form) => readFile(join(dir, 'cache', ready.id, form))),
    );
    expect(raw!.equals(image)).toBe(true);
    expect(execFileSync('zstd', ['-dc'], { input: zst!, maxBuffer: 8 * MEBI }).equals(image)).toBe(true);
    expect(ready).toEqual({
      id: ready.id,
      sizeBytes: MEBI,
      digest: { algorithm: 'sha256', value: sha256(image) },
      compressed: {
        sizeBytes: zst!.length,
        digest: { algorithm: 'sha256', value: sha256(zst!) },
      },
    });
    expect((await readdir(join(dir, 'cache', ready.id))).sort()).toEqual(['meta.json', 'raw', 'zst']);
  });

  it('converts qcow2 and computes the digest of the raw bytes', async () => {
    const image = disk();
    await writeFile(join(dir, 'disk.raw'), image);
    const names = [join(dir, 'disk.raw'), join(dir, 'disk.qcow2')];
    execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', '-c', ...names]);
    const { request } = offer('/q', await readFile(names[1]!));
    const ready = await ensure({ ...request, diskFormat: 'qcow2' });
    expect(ready).toMatchObject({ sizeBytes: MEBI, digest: { value: sha256(image) } });
  });

  it('fetches once for many callers', async () => {
    const { request } = offer('/a');
    const all = await Promise.all(Array.from({ length: 5 }, () => ensure(request)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(server.asked).toEqual(['GET /a']);
  });

  it('continues for the others when one caller leaves', async () => {
    const { request } = offer('/a');
    const held = gate('/a');
    const leaving = new AbortController();
    const gone = cache.ensure(request, { signal: leaving.signal });
    const stays = ensure(request);
    await held.asked;
    leaving.abort(new Error('not needed'));
    await expect(gone).rejects.toThrow('not needed');
    held.letGo();
    await expect(stays).resolves.toMatchObject({ sizeBytes: MEBI });
    expect(server.asked).toEqual(['GET /a']);
  });

  it('ends when the last caller leaves, and starts again for the next one', async () => {
    const { request } = offer('/a');
    const answer = server.answers.get('/a')!;
    const held = gate('/a');
    const leaving = new AbortController();
    const both = [1, 2].map(() => cache.ensure(request, { signal: leaving.signal }));
    await held.asked;
    leaving.abort(new Error('not needed'));
    for (const gone of both) await expect(gone).rejects.toThrow('not needed');
    await held.cut;
    await cache.stop();
    expect(await inCache()).toEqual([]);
    server.answers.set('/a', answer);
    await expect(ensure(request)).resolves.toMatchObject({ sizeBytes: MEBI });
  });

  it('leaves nothing when it fails, and may be tried again', async () => {
    const { image, request } = offer('/a');
    server.answers.set('/a', whole(Buffer.concat([image, image])));
    await expect(ensure(request)).rejects.toThrow('instance_info/image_checksum');
    await expect(ensure({ ...request, source: server.url('/none') })).rejects.toThrow('HTTP 404');
    await expect(ensure(offer('/bad', Buffer.alloc(MEBI)).request)).rejects.toThrow('the image was refused');
    expect(await inCache()).toEqual(['refused']);
    server.answers.set('/a', whole(image));
    await expect(ensure(request)).resolves.toMatchObject({ sizeBytes: MEBI });
  });

  it('reads a file without a digest, and reads it again when it was changed', async () => {
    const source = `file://${dir}/disk.raw`;
    await writeFile(join(dir, 'disk.raw'), disk());
    const first = await ensure({ source });
    expect(await ensure({ source })).toEqual(first);
    await writeFile(join(dir, 'disk.raw'), disk());
    expect((await ensure({ source })).digest).not.toEqual(first.digest);
  });

  it('reads images of the image service, and reports which of them are prepared', async () => {
    const [uuid, other] = [randomUUID(), randomUUID()];
    const path = join(dir, uuid);
    const image = disk();
    await writeFile(path, image);
    const digest = {
      algorithm: 'sha512',
      value: createHash('sha512').update(image).digest('hex'),
    } as const;
    const glance = open({ stored: { locate: async () => ({ path, digest, diskFormat: 'raw' }) } });
    const known = { source: uuid, digest, diskFormat: 'raw' };
    const unknown = { source: other, digest: { ...digest, value: 'ab'.repeat(64) }, diskFormat: 'raw' };
    expect(await glance.prepared([known])).toEqual([]);
    const ready = await ensure({ source: uuid }, glance);
    expect(ready).toMatchObject({ sizeBytes: MEBI, digest: { value: sha256(image) } });
    expect(await glance.prepared([unknown, known])).toEqual([known]);
    await rm(path);
    expect(await ensure(known, glance)).toEqual(ready);
    await glance.stop();
  });

  it('rejects a file that is changed during the transfer', async () => {
    const path = join(dir, 'disk.raw');
    await writeFile(path, disk());
    const touch = () => execFileSync('touch', ['-d', '2001-01-01', path]);
    await expect(cache.ensure({ source: `file://${path}` }, { signal, onProgress: touch })).rejects.toThrow(
      'changed while it was read',
    );
    expect(await inCache()).toEqual([]);
  });
});

describe('a file of digests', () => {
  it('is read again by every new deployment, but not by a continued one', async () => {
    const old = offer('/disk.raw');
    const request = { source: old.request.source, checksumUrl: server.url('/SHA256SUMS') };
    server.answers.set('/SHA256SUMS', whole(`${sha256(old.image)}  disk.raw\n`));
    const before = await ensure(request);
    const next = offer('/disk.raw');
    server.answers.set('/SHA256SUMS', whole(`${sha256(next.image)}  disk.raw\n`));
    await expect(cache.ensure(request, { signal, reuseChecksum: true })).resolves.toEqual(before);
    await expect(ensure(request)).resolves.toMatchObject({ digest: next.request.digest });
    expect(server.asked.filter((asked) => asked.includes('SUMS'))).toHaveLength(2);
  });

  it('with md5 is rejected unless md5 is allowed', async () => {
    const { image, request } = offer('/disk.raw');
    server.answers.set('/MD5SUMS', whole(createHash('md5').update(image).digest('hex')));
    const asked = { source: request.source, checksumUrl: server.url('/MD5SUMS') };
    await expect(ensure(asked)).rejects.toThrow('instance_info/image_checksum: md5 digests are not accepted');
    await expect(ensure(asked, open({ allowMd5: true }))).resolves.toMatchObject({ sizeBytes: MEBI });
  });
});

describe('after a restart', () => {
  it('complete entries are found, and incomplete and damaged ones are removed', async () => {
    const { request } = offer('/a');
    const [kept, shortened, torn] = [
      await ensure(request),
      await ensure(offer('/b').request),
      await ensure(offer('/c').request),
    ];
    await truncate(join(dir, 'cache', shortened.id, 'raw'), 1000);
    await writeFile(join(dir, 'cache', torn.id, 'meta.json'), '{"id": "');
    await mkdir(join(dir, 'cache', '.work-AbCd'));
    await writeFile(join(dir, 'cache', '.work-AbCd', 'source'), 'half');
    await mkdir(join(dir, 'cache', 'f'.repeat(64)));
    const restarted = open();
    await restarted.sweep();
    expect(await inCache()).toEqual([kept.id]);
    const asked = server.asked.length;
    expect(await ensure(request, restarted)).toEqual(kept);
    expect(server.asked).toHaveLength(asked);
  });

  it('a damaged entry is prepared again also without a sweep', async () => {
    const { request } = offer('/a');
    const ready = await ensure(request);
    await writeFile(join(dir, 'cache', ready.id, 'meta.json'), '');
    await expect(cache.serve(ready.id, 'raw')).resolves.toBeUndefined();
    expect(await ensure(request)).toEqual(ready);
  });
});

describe('a full cache', () => {
  /** Each entry has 2 MiB: raw and zst. */
  const small = { maxBytes: 5 * MEBI };
  const usedAgo = (image: ReadyImage, agoMs: number) => {
    const then = new Date(Date.now() - agoMs);
    return utimes(join(dir, 'cache', image.id, 'meta.json'), then, then);
  };

  it('loses the least recently used entry, even when it was used an hour ago', async () => {
    cache = open(small);
    const first = await ensure(offer('/a').request);
    const second = await ensure(offer('/b').request);
    await usedAgo(first, HOUR_MS);
    await usedAgo(second, 2 * HOUR_MS);
    const third = await ensure(offer('/c').request);
    expect((await inCache()).sort()).toEqual([first.id, third.id].sort());
  });

  it('keeps an entry that an agent was just told to fetch, and one that is being sent', async () => {
    cache = open(small);
    const told = await ensure(offer('/a').request);
    const sent = await ensure(offer('/b').request);
    await usedAgo(told, 60_000);
    const serving = await cache.serve(sent.id, 'raw');
    await usedAgo(sent, 24 * HOUR_MS);
    const third = await ensure(offer('/c').request);
    expect((await inCache()).sort()).toEqual([told.id, sent.id, third.id].sort());
    serving?.release();
    const fourth = await ensure(offer('/d').request);
    expect((await inCache()).sort()).toEqual([told.id, third.id, fourth.id].sort());
  });
});

describe('over HTTP', () => {
  it('serves both forms, also ranges, and keeps the entry until the answer has been sent', async () => {
    cache = open({ maxBytes: 3 * MEBI });
    const { image, request } = offer('/a');
    const ready = await ensure(request);
    const app = fastify();
    const node = deployingNode();
    registerImages(app, cache, { find: async () => node });
    const paths = cache.pathsFor(ready, node);
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const part = await fetch(`${base}${paths.raw}`, { headers: { range: 'bytes=1000-' } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer()).equals(image.subarray(1000))).toBe(true);
      const zst = await fetch(base + paths.compressed);
      expect(sha256(Buffer.from(await zst.arrayBuffer()))).toBe(ready.compressed.digest.value);
      for (const path of [
        paths.raw.replace(ready.id, '0'.repeat(64)),
        paths.raw.replace(/\?.*/, ''),
        '/images/..%2f..%2fetc/raw',
        `/images/${ready.id}/meta.json`,
      ])
        expect((await fetch(base + path)).status, path).toBe(404);
      const then = new Date(Date.now() - HOUR_MS);
      await utimes(join(dir, 'cache', ready.id, 'meta.json'), then, then);
      const other = await ensure(offer('/b').request);
      expect((await inCache()).sort()).toEqual([other.id, 'ticket.key'].sort());
    } finally {
      await app.close();
    }
  });
});
