import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BLUE, IMAGE_UUID, type ImageParts, openImageParts } from '../../test/fakes/compute/image-parts.ts';
import type { ImageServiceSettings } from './deps.ts';
import type { ImageFiles } from './image-files.ts';
import { createImageQuota } from './image-quota.ts';
import { createImageUpload } from './image-upload.ts';

let parts: ImageParts;
let body: PassThrough;
beforeEach(async () => {
  parts = await openImageParts();
  await parts.add();
  body = new PassThrough();
  body.on('error', () => undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  await parts[Symbol.asyncDispose]();
});

function upload(announcedBytes: number | null = null, files = parts.files): Promise<void> {
  const settings = { maxBytes: 10, stallMs: 5_000 } as ImageServiceSettings;
  const send = createImageUpload(
    settings,
    files,
    createImageQuota(0, parts.records),
    parts.transfers,
    parts.intake,
  );
  return send(IMAGE_UUID, BLUE, body, announcedBytes);
}
const status = async () => (await parts.records.find(IMAGE_UUID))?.status;
/** The upload has read the first bytes. */
const begun = () => vi.waitFor(() => expect(body.readableLength).toBe(0), { interval: 1, timeout: 10_000 });
const isFree = () => parts.transfers.finish(IMAGE_UUID, parts.transfers.begin(IMAGE_UUID));

it('stores what comes, and is over then', async () => {
  body.end('abc');
  await upload(3);
  expect([await status(), await parts.names()]).toEqual(['active', [IMAGE_UUID]]);
  isFree();
});

describe('a failed upload leaves the image queued and nothing on the disk', () => {
  afterEach(async () => {
    expect([await status(), await parts.names()]).toEqual(['queued', []]);
    isFree();
  });

  it('when the client breaks off', async () => {
    const failed = expect(upload()).rejects.toMatchObject({
      code: 'invalidParameter',
      message: 'The upload broke off: send the data again.',
    });
    body.write('abc');
    await begun();
    body.destroy(new Error('socket hang up'));
    await failed;
  });

  it('when it is too large; the connection stays open for the answer', async () => {
    body.write('01234567890');
    await expect(upload()).rejects.toMatchObject({ code: 'tooLarge' });
    expect(body.destroyed).toBe(false);
  });
});

it('a conductor that stops closes the connection and leaves the image queued', async () => {
  const failed = expect(upload()).rejects.toMatchObject({ code: 'unavailable' });
  body.write('abc');
  await begun();
  await parts.transfers.stop();
  await failed;
  expect(body.destroyed).toBe(true);
  expect([await status(), await parts.names()]).toEqual(['queued', []]);
});

it('an upload is aborted when nothing comes for too long, counted from the last bytes', async () => {
  let taken = Promise.withResolvers<void>();
  const files: Pick<ImageFiles, 'receive'> = {
    async receive(chunks) {
      for await (const _ of chunks) taken.resolve();
      throw new Error('the upload ended');
    },
  };
  /** Sends a byte; resolves when the upload waits for the next one. */
  const send = async () => {
    taken = Promise.withResolvers();
    body.write('a');
    await taken.promise;
    await new Promise((resolve) => setImmediate(resolve));
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const failed = expect(upload(null, files as ImageFiles)).rejects.toMatchObject({
    code: 'uploadTimeout',
    message: 'Nothing came for 5 s: the upload was aborted. Send the data again.',
  });
  await send();
  vi.advanceTimersByTime(4_999);
  await send();
  vi.advanceTimersByTime(4_999);
  expect(body.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(body.destroyed).toBe(true);
  await failed;
  expect(await status()).toBe('queued');
});
