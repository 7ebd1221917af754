import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openImageFiles } from './image-files.ts';

const MEBI = 1024 * 1024;
const RESERVE = 256 * MEBI;
const UUID = randomUUID();

let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'ingot-image-files-'));
  dir = join(parent, 'images');
});
afterEach(() => rm(parent, { recursive: true }));

const open = (freeBytes = Number.MAX_SAFE_INTEGER) =>
  openImageFiles({ dir, freeBytes: async () => freeBytes });
async function* chunks(...parts: (Uint8Array | string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}
const limits = (announcedBytes: number | null = null, maxBytes = 1_000) => ({ announcedBytes, maxBytes });
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('received data', () => {
  it('is in a file of its own, for its owner only, with digests of the stored bytes', async () => {
    const onBytes = vi.fn();
    const data = await open().receive(chunks('abc', 'de'), { ...limits(5), onBytes });
    const digest = (algorithm: string) => createHash(algorithm).update('abcde').digest('hex');
    expect(data).toMatchObject({ sizeBytes: 5, md5: digest('md5'), sha512: digest('sha512') });
    expect(await readFile(data.path, 'utf8')).toBe('abcde');
    expect([await modeOf(dir), await modeOf(data.path)]).toEqual(['700', '600']);
    expect(onBytes.mock.calls).toEqual([[3], [5]]);
  });

  it('may be exactly as large as the limit', async () => {
    expect((await open().receive(chunks('abcde'), limits(null, 5))).sizeBytes).toBe(5);
    expect((await open().receive(chunks('abcde'), limits(5, 5))).sizeBytes).toBe(5);
  });

  it.each([
    ['announced as too large', chunks(), limits(6, 5), 'tooLarge', 'The data is 6 bytes or more'],
    ['too large', chunks('abc', 'def'), limits(null, 5), 'tooLarge', 'an image may have 5'],
    ['shorter than announced', chunks('abc'), limits(5), 'invalidParameter', 'ended after 3 of 5 bytes'],
    ['longer than announced', chunks('abc'), limits(2), 'invalidParameter', 'ended after 3 of 2 bytes'],
  ])('%s is refused, and nothing is kept', async (_, source, given, code, text) => {
    await expect(open().receive(source, given)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
    expect(await readdir(dir).catch(() => [])).toEqual([]);
  });

  it('fails as its source fails, and nothing is kept', async () => {
    const broken = chunks('abc', new Error('broke off'));
    await expect(open().receive(broken, limits())).rejects.toThrow('broke off');
    expect(await readdir(dir)).toEqual([]);
  });

  it('a disk that becomes full is named as the cause', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    await expect(open().receive(chunks('abc', full), limits())).rejects.toMatchObject({
      code: 'tooLarge',
      message: expect.stringContaining('it became full during the transfer'),
    });
  });
});

describe('space', () => {
  it('is enough when the announced bytes fit beside the reserve', async () => {
    expect((await open(RESERVE + 5).receive(chunks('abcde'), limits(5))).sizeBytes).toBe(5);
    const text = 'it needs 5 bytes and 4 are free for images';
    await expect(open(RESERVE + 4).receive(chunks('abcde'), limits(5))).rejects.toThrow(text);
    const none = 'it needs 5 bytes and 0 are free for images';
    await expect(open(RESERVE - 9).receive(chunks('abcde'), limits(5))).rejects.toThrow(none);
  });

  it('is looked at again after each 64 MiB of data of unknown length', async () => {
    const freeBytes = vi.fn(async () => Number.MAX_SAFE_INTEGER);
    const files = openImageFiles({ dir, freeBytes });
    const chunk = Buffer.alloc(16 * MEBI);
    const sent = () => chunks(chunk, chunk, chunk, chunk, 'x');
    const large = limits(null, 256 * MEBI);
    await files.drop(await files.receive(sent(), large));
    expect(freeBytes).toHaveBeenCalledTimes(2);
    freeBytes.mockResolvedValueOnce(Number.MAX_SAFE_INTEGER).mockResolvedValueOnce(RESERVE);
    await expect(files.receive(sent(), large)).rejects.toMatchObject({ code: 'tooLarge' });
    expect(await readdir(dir)).toEqual([]);
  });
});

describe('data of an image', () => {
  it('is kept under its uuid, and removed, as often as one asks', async () => {
    const files = open();
    const data = await files.receive(chunks('abc'), limits());
    await files.keep(data, UUID);
    expect(files.path(UUID)).toBe(join(dir, UUID));
    expect([await readdir(dir), await readFile(files.path(UUID), 'utf8')]).toEqual([[UUID], 'abc']);
    await files.drop(data);
    expect(await readdir(dir)).toEqual([UUID]);
    await files.remove(UUID);
    await files.remove(UUID);
    expect(await readdir(dir)).toEqual([]);
  });

  it('is dropped before it is kept', async () => {
    const files = open();
    await files.drop(await files.receive(chunks('abc'), limits()));
    expect(await readdir(dir)).toEqual([]);
  });
});

it('a sweep removes data of no image and halves of data, leaves what is not ours, and tells what is missing', async () => {
  const [missing, stranger] = [randomUUID(), randomUUID()];
  await mkdir(join(dir, 'lost+found'), { recursive: true });
  for (const name of [UUID, stranger, '.part-1', 'README']) await writeFile(join(dir, name), '');
  expect(await open().sweep(new Set([UUID, missing]))).toEqual([missing]);
  expect((await readdir(dir)).toSorted()).toEqual([UUID, 'README', 'lost+found'].toSorted());
});

it('a sweep makes the directory when it is not there', async () => {
  expect(await open().sweep(new Set())).toEqual([]);
  expect(await modeOf(dir)).toBe('700');
});
