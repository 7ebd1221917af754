import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ADMIN,
  BLUE,
  IMAGE_UUID,
  type ImageParts,
  openImageParts,
  RED,
} from '../../test/fakes/compute/image-parts.ts';
import type { Image } from '../domain/compute.ts';
import type { ImageServiceDeps } from './deps.ts';

let parts: ImageParts;
let verdict: Awaited<ReturnType<ImageServiceDeps['examine']>>;
let examined: unknown[];
beforeEach(async () => {
  verdict = { ok: true, virtualSize: 7 };
  examined = [];
  parts = await openImageParts(async (...file) => {
    examined.push(file);
    return verdict;
  });
});
afterEach(() => parts[Symbol.asyncDispose]());

const found = () => parts.records.find(IMAGE_UUID);
const claim = (tenant = BLUE) => parts.intake.claim(IMAGE_UUID, tenant, 'importing', 'http://h/i');
async function* bytes() {
  yield Buffer.from('abc');
}
const received = () => parts.files.receive(bytes(), { maxBytes: 10, announcedBytes: null });

describe('a claim', () => {
  it('says in the record what has begun, and is the transfer of the image', async () => {
    await parts.add({ importError: 'the last one' });
    const { image, transfer } = await claim();
    expect(image).toMatchObject({ status: 'importing', importUrl: 'http://h/i', importError: null });
    expect(await found()).toEqual(image);
    expect(parts.transfers.isCurrent(IMAGE_UUID, transfer)).toBe(true);
  });

  it.each<[string, Partial<Image>, string, string]>([
    ['with data', { status: 'active' }, 'conflict', 'from active to importing is not allowed'],
    ['that receives data', { status: 'saving' }, 'conflict', `Image ${IMAGE_UUID} is saving`],
    ['without a disk format', { diskFormat: null }, 'invalidParameter', 'Properties disk_format must be set'],
    [
      'without formats',
      { diskFormat: null, containerFormat: null },
      'invalidParameter',
      'Properties disk_format, container_format must be set',
    ],
  ])('of an image %s is refused, and changes nothing', async (_, fields, code, text) => {
    const image = await parts.add(fields);
    await expect(claim()).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    expect(await found()).toEqual(image);
    parts.transfers.finish(IMAGE_UUID, parts.transfers.begin(IMAGE_UUID));
  });

  it('is refused to others: not found what they do not see, forbidden what they see', async () => {
    await parts.add();
    await expect(claim(RED)).rejects.toMatchObject({ code: 'notFound' });
    await parts.records.change(IMAGE_UUID, () => ({ visibility: 'public' }));
    await expect(claim(RED)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await claim(ADMIN)).image.status).toBe('importing');
  });

  it('that could not be stored has no transfer', async () => {
    await parts.add();
    await parts.records.change(IMAGE_UUID, () => ({ status: 'queued' }));
    const failing = parts.intake.claim(IMAGE_UUID, BLUE, 'saving', Symbol('unstorable') as unknown as string);
    await expect(failing).rejects.toThrow();
    expect((await claim()).image.status).toBe('importing');
  });
});

describe('accepted data', () => {
  it('is that of the image, with its sizes and digests', async () => {
    await parts.add();
    const { image, transfer } = await claim();
    const data = await received();
    await parts.intake.accept(image, transfer, data);
    expect(examined).toEqual([[data.path, 3, 'raw', data.sha512, transfer.controller.signal]]);
    expect(await found()).toMatchObject({
      status: 'active',
      sizeBytes: 3,
      virtualSizeBytes: 7,
      checksum: data.md5,
      osHashAlgo: 'sha512',
      osHashValue: data.sha512,
      importUrl: null,
      importError: null,
    });
    expect(await parts.names()).toEqual([IMAGE_UUID]);
  });

  it('that is not what the image declares is refused and dropped', async () => {
    await parts.add();
    const { image, transfer } = await claim();
    verdict = { ok: false, reason: 'it is a picture' };
    await expect(parts.intake.accept(image, transfer, await received())).rejects.toMatchObject({
      code: 'unsupportedMedia',
      message: expect.stringContaining('it is a picture'),
    });
    expect([(await found())?.status, await parts.names()]).toEqual(['importing', []]);
  });

  it('of a cancelled transfer is dropped', async () => {
    await parts.add();
    const { image, transfer } = await claim();
    const data = await received();
    parts.transfers.cancel(IMAGE_UUID);
    await expect(parts.intake.accept(image, transfer, data)).rejects.toMatchObject({ code: 'notFound' });
    expect([(await found())?.status, await parts.names()]).toEqual(['importing', []]);
  });

  it('of an image that was deleted is dropped', async () => {
    await parts.add();
    const { image, transfer } = await claim();
    const data = await received();
    await parts.records.delete(
      IMAGE_UUID,
      () => undefined,
      async () => undefined,
    );
    await expect(parts.intake.accept(image, transfer, data)).rejects.toMatchObject({ code: 'notFound' });
    expect(await parts.names()).toEqual([]);
  });
});

describe('a transfer that is given up', () => {
  it('leaves its image queued, with the reason', async () => {
    await parts.add();
    const { transfer } = await claim();
    await parts.intake.giveUp(IMAGE_UUID, transfer, 'too slow');
    expect(await found()).toMatchObject({ status: 'queued', importUrl: null, importError: 'too slow' });
  });

  it('changes nothing when the image has another transfer', async () => {
    await parts.add();
    const { transfer } = await claim();
    parts.transfers.cancel(IMAGE_UUID);
    const next = parts.transfers.begin(IMAGE_UUID);
    await parts.intake.giveUp(IMAGE_UUID, transfer, 'too slow');
    expect(await found()).toMatchObject({ status: 'importing', importError: null });
    expect(parts.transfers.isCurrent(IMAGE_UUID, next)).toBe(true);
  });
});
