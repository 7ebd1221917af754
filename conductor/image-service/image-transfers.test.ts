import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BLUE, IMAGE_UUID, type ImageParts, openImageParts } from '../../test/fakes/compute/image-parts.ts';
import { quietLogger } from '../../test/fakes/engine-deps.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { ImageServiceDeps, ImportSource } from './deps.ts';
import { createImageTransfers, type ImageTransfers } from './image-transfers.ts';

const URL_OF_IMAGE = 'http://images.test/disk';

let parts: ImageParts;
let transfers: ImageTransfers;
let fetched: string[];
const error = vi.fn();
let source: () => Promise<ImportSource>;
beforeEach(async () => {
  parts = await openImageParts();
  fetched = [];
  error.mockClear();
  source = async () => ({
    chunks: Readable.from([Buffer.from('abc')]),
    length: 3,
    close: async () => undefined,
  });
  const deps = {
    settings: { dir: parts.dir, maxBytes: 10, stallMs: 5_000, importLimitMs: 60_000, importPorts: ['80'] },
    checkAddress: loopbackOutbound.checkAddress,
    examine: async () => ({ ok: true, virtualSize: 3 }),
    fetch: async (url: string) => {
      fetched.push(url);
      return source();
    },
    logger: { ...quietLogger, error },
  } as unknown as ImageServiceDeps;
  transfers = createImageTransfers(deps, parts.records, parts.files);
});
afterEach(() => parts[Symbol.asyncDispose]());

const status = async (uuid = IMAGE_UUID) => (await parts.records.find(uuid))?.status;

describe('a start', () => {
  it('begins imports again, and nothing that has no URL', async () => {
    const [begun, lost] = [randomUUID(), randomUUID()];
    await parts.add({ uuid: begun, status: 'importing', importUrl: URL_OF_IMAGE });
    await parts.add({ uuid: lost, status: 'importing' });
    await parts.add({ importUrl: URL_OF_IMAGE });
    await transfers.recover();
    await vi.waitFor(async () => expect(await status(begun)).toBe('active'), {
      interval: 5,
      timeout: 10_000,
    });
    expect([await status(lost), await status(), fetched]).toEqual(['importing', 'queued', [URL_OF_IMAGE]]);
  });

  it('makes images queued whose upload was interrupted', async () => {
    await parts.add({ status: 'saving' });
    await transfers.recover();
    expect(await status()).toBe('queued');
  });

  it.each(['active', 'deactivated'] as const)('keeps the data of an image that is %s', async (now) => {
    await parts.add({ status: now });
    await mkdir(parts.dir, { recursive: true });
    await writeFile(join(parts.dir, IMAGE_UUID), 'data');
    await transfers.recover();
    expect([await parts.names(), error.mock.calls]).toEqual([[IMAGE_UUID], []]);
  });

  it.each(['queued', 'saving', 'importing'] as const)('removes data of an image that is %s', async (now) => {
    await parts.add({ status: now });
    await writeFile(join(parts.dir, IMAGE_UUID), 'data');
    await transfers.recover();
    expect([await parts.names(), error.mock.calls]).toEqual([[], []]);
  });

  it('tells the log which data is missing', async () => {
    await parts.add({ status: 'active' });
    await transfers.recover();
    const where = { image: IMAGE_UUID, path: join(parts.dir, IMAGE_UUID) };
    expect(error.mock.calls).toEqual([[where, 'the data of an image is not there']]);
  });
});

describe('an import', () => {
  it('from a place that is not allowed does not begin', async () => {
    await parts.add();
    for (const url of ['http://127.0.0.2/disk', 'http://images.test:22/', 'ftp://images.test/']) {
      const begun = transfers.startImport(IMAGE_UUID, BLUE, url);
      await expect(begun).rejects.toMatchObject({ code: 'invalidParameter' });
    }
    expect([await status(), fetched]).toEqual(['queued', []]);
  });

  it('has begun in the record when it is answered', async () => {
    await parts.add();
    const gate = Promise.withResolvers<ImportSource>();
    source = () => gate.promise;
    await transfers.startImport(IMAGE_UUID, BLUE, URL_OF_IMAGE);
    expect(await status()).toBe('importing');
    gate.reject(new Error('no more'));
    await vi.waitFor(async () => expect(await status()).toBe('queued'), { interval: 5, timeout: 10_000 });
  });

  it('goes on at the next start when the conductor stops', async () => {
    await parts.add();
    const closed = vi.fn(async () => undefined);
    const reading = Promise.withResolvers<void>();
    source = async () => ({
      chunks: (async function* () {
        yield Buffer.from('a');
        await reading.promise;
        yield Buffer.from('b');
      })(),
      length: null,
      close: closed,
    });
    await transfers.startImport(IMAGE_UUID, BLUE, URL_OF_IMAGE);
    await vi.waitFor(async () => expect(await parts.names()).toHaveLength(1), {
      interval: 5,
      timeout: 10_000,
    });
    const stopped = transfers.stop();
    reading.resolve();
    await stopped;
    expect(closed).toHaveBeenCalledTimes(1);
    expect([await status(), await parts.names()]).toEqual(['importing', []]);
    await expect(transfers.startImport(IMAGE_UUID, BLUE, URL_OF_IMAGE)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
