import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import type { ImageDownload } from '@ingot/shared/agent/image-info.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ImageServer, startImageServer, type Turn } from '../../test/fakes/agent/image-server.ts';
import { type WriteRequest, writeImage } from './write.ts';

const MEBI = 1024 * 1024;
const DISK_BYTES = 12 * MEBI;
const WIPED_BYTES = 4 * MEBI;
/** With a long run of zeros; its length is no multiple of a block. */
const IMAGE = Buffer.concat([randomBytes(3 * MEBI), Buffer.alloc(2 * MEBI), randomBytes(MEBI + 77)]);

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A plain file full of 0xdd as the disk; bytes that are not written stay 0xdd. */
function makeDisk(): string {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-write-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'disk');
  writeFileSync(path, Buffer.alloc(DISK_BYTES, 0xdd));
  return path;
}

async function serve(file: Buffer, turns: readonly Turn[] = []): Promise<ImageServer> {
  const server = await startImageServer(file, turns);
  onTestFinished(server.close);
  return server;
}

interface Wanted {
  readonly urls: readonly string[];
  readonly device: string;
  readonly download?: Partial<ImageDownload>;
  readonly check?: WriteRequest['check'];
  readonly clear?: WriteRequest['clear'];
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
  readonly onRetry?: (text: string) => void;
  readonly onProgress?: (progress: CommandProgress) => void;
}

function write(wanted: Wanted) {
  return writeImage({
    download: {
      urls: wanted.urls,
      algorithm: 'sha256',
      digest: sha256(IMAGE),
      encoding: 'none',
      rawBytes: null,
      ...wanted.download,
    },
    device: wanted.device,
    deviceBytes: DISK_BYTES,
    check: wanted.check ?? (() => DISK_BYTES),
    clear: wanted.clear ?? (async () => undefined),
    fetch: {
      retries: 1,
      retryMs: 1,
      timeoutMs: 5_000,
      deadlineMs: wanted.deadlineMs ?? 30_000,
      signal: wanted.signal ?? new AbortController().signal,
      onRetry: wanted.onRetry ?? (() => undefined),
    },
    onProgress: wanted.onProgress ?? (() => undefined),
  });
}

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it worked',
    (error: Error) => error.message,
  );

function expectUntouched(device: string): void {
  expect(readFileSync(device).equals(Buffer.alloc(DISK_BYTES, 0xdd))).toBe(true);
}

/** Both ends must be zero; the bytes between them do not matter. */
function expectWiped(device: string): void {
  const disk = readFileSync(device);
  expect(disk.length).toBe(DISK_BYTES);
  const zeros = Buffer.alloc(WIPED_BYTES);
  expect(disk.subarray(0, WIPED_BYTES).equals(zeros)).toBe(true);
  expect(disk.subarray(-WIPED_BYTES).equals(zeros)).toBe(true);
}

function expectWritten(device: string): void {
  const disk = readFileSync(device);
  const behind = Buffer.alloc(DISK_BYTES - IMAGE.length, 0xdd);
  expect(disk.equals(Buffer.concat([IMAGE, behind]))).toBe(true);
}

describe('an image', () => {
  it('is written byte for byte, including zeros, and nothing after it', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE);
    expect(await write({ urls: [url], device })).toMatchObject({ bytes: IMAGE.length });
    expectWritten(device);
  });

  it('is written from zstd', async () => {
    const device = makeDisk();
    const zipped = zstdCompressSync(IMAGE);
    const { url } = await serve(zipped);
    const download = { encoding: 'zstd', digest: sha256(zipped), rawBytes: IMAGE.length } as const;
    await write({ urls: [url], device, download });
    expectWritten(device);
  });

  it('is checked by its first bytes and its size, then the disk is cleared, then it is written', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE);
    const order: unknown[] = [];
    const check: WriteRequest['check'] = (head, imageBytes) => {
      order.push(['check', head.length, head.equals(IMAGE.subarray(0, head.length)), imageBytes]);
      return DISK_BYTES;
    };
    const clear = async (): Promise<void> => {
      expectUntouched(device);
      order.push('clear');
    };
    await write({ urls: [url], device, check, clear });
    expect(order).toEqual([['check', 4 * MEBI, true, IMAGE.length], 'clear']);
  });

  it('of unknown length is checked without a size', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE, [{ chunked: true }]);
    const sizes: unknown[] = [];
    await write({ urls: [url], device, check: (_, bytes) => sizes.push(bytes) && DISK_BYTES });
    expect(sizes).toEqual([null]);
    expectWritten(device);
  });

  it('continues after an interruption', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE, [{ cutAfter: 5 * MEBI }, { cutAfter: 1000 }]);
    await write({ urls: [url], device });
    expectWritten(device);
  });

  it('that changes during the transfer is downloaded again from its first byte', async () => {
    const device = makeDisk();
    const other = randomBytes(IMAGE.length);
    const server = await serve(other, [{ cutAfter: 5 * MEBI }, { file: IMAGE, etag: '"second"' }]);
    const notes: string[] = [];
    await write({ urls: [server.url], device, onRetry: (text) => notes.push(text) });
    expectWritten(device);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.range).toBeUndefined();
    expect(notes.at(-1)).toMatch(/has changed since the transfer began.*beginning again from its first byte/);
  });

  it('that keeps changing fails', async () => {
    const device = makeDisk();
    const turns = Array.from({ length: 8 }, (_, i) => ({ etag: `"${i}"`, cutAfter: 5 * MEBI }));
    const { url } = await serve(IMAGE, turns);
    expect(await messageOf(write({ urls: [url], device }))).toMatch(/has changed since the transfer began/);
    expectWiped(device);
  });

  it('is downloaded from the next source when one fails', async () => {
    const device = makeDisk();
    const [missing, good] = [await serve(IMAGE, [{ status: 404 }]), await serve(IMAGE)];
    await write({ urls: [missing.url, good.url], device });
    expectWritten(device);
  });
});

describe('rejected before anything is written', () => {
  it('because it does not fit', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE);
    const check = (): number => {
      throw new Error('it does not fit');
    };
    const clear = async (): Promise<void> => expect.unreachable();
    expect(await messageOf(write({ urls: [url], device, check, clear }))).toBe(
      `it does not fit; nothing on ${device} was changed`,
    );
    expectUntouched(device);
  });

  it('because no source has it', async () => {
    const device = makeDisk();
    const [a, b] = [await serve(IMAGE, [{ status: 404 }]), await serve(IMAGE, [{ status: 403 }])];
    const message = await messageOf(write({ urls: [a.url, b.url], device }));
    expect(message).toMatch(
      /^no source of the image \(image_info\.urls\) delivered it: .*HTTP 404: .*; .*HTTP 403: .*; nothing on .* was changed$/,
    );
    expectUntouched(device);
  });

  it('because its source refuses connections', async () => {
    const device = makeDisk();
    const server = await startImageServer(IMAGE);
    await server.close();
    expect(await messageOf(write({ urls: [server.url], device }))).toMatch(
      /the connection was refused.*nothing on .* was changed$/,
    );
    expectUntouched(device);
  });

  it('because it stalls in its first bytes', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE, [{ stallAfter: 100 }]);
    const signal = AbortSignal.timeout(200);
    expect(await messageOf(write({ urls: [url], device, signal }))).toMatch(/nothing on .* was changed$/);
    expectUntouched(device);
  });
});

describe('wiped at both ends', () => {
  it('when the checksum differs, with expected and actual value', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE);
    const message = await messageOf(
      write({ urls: [`${url}?token=secret`], device, download: { digest: 'ab'.repeat(32) } }),
    );
    expect(message).toBe(
      `the image's checksum (image_os_hash_value or image_checksum) does not match: sha256 expected ${'ab'.repeat(32)}, got ${sha256(IMAGE)} over ${IMAGE.length} bytes from ${url}. Correct the checksum, or check whether the image was changed; both ends of ${device} were wiped, so that it does not boot`,
    );
    expectWiped(device);
  });

  it('when an image of unknown length is larger than its capacity', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE, [{ chunked: true }]);
    const message = await messageOf(write({ urls: [url], device, check: () => 5 * MEBI }));
    expect(message).toMatch(
      /^the image, whose size was not known beforehand, is larger than the 5242880 bytes it may use of .* \(12582912 bytes\): use a smaller image/,
    );
    expectWiped(device);
  });

  it('when what was sent is not valid zstd', async () => {
    const device = makeDisk();
    const zipped = zstdCompressSync(IMAGE);
    zipped.fill(0xff, zipped.length - 200_000);
    const { url } = await serve(zipped);
    const download = { encoding: 'zstd', digest: sha256(zipped), rawBytes: IMAGE.length } as const;
    expect(await messageOf(write({ urls: [url], device, download }))).toMatch(/sent is not valid zstd/);
    expectWiped(device);
  });

  it.each([1, -1])('when its unpacked size differs from the declared one by %i', async (difference) => {
    const device = makeDisk();
    const zipped = zstdCompressSync(IMAGE);
    const { url } = await serve(zipped);
    const rawBytes = IMAGE.length + difference;
    const download = { encoding: 'zstd', digest: sha256(zipped), rawBytes } as const;
    expect(await messageOf(write({ urls: [url], device, download }))).toContain(
      `has ${IMAGE.length} bytes, not the raw_size_bytes of ${rawBytes}`,
    );
    expectWiped(device);
  });

  it('when the command is aborted during the write', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE, [{ stallAfter: 5 * MEBI }]);
    const abort = new AbortController();
    const clear = async (): Promise<void> => abort.abort(new Error('no longer wanted'));
    const message = await messageOf(write({ urls: [url], device, clear, signal: abort.signal }));
    expect(message).toMatch(/^no longer wanted; both ends of/);
    expectWiped(device);
  });

  it('or the error says that wiping failed', async () => {
    const device = makeDisk();
    const { url } = await serve(IMAGE);
    const clear = async (): Promise<void> => rmSync(device);
    expect(await messageOf(write({ urls: [url], device, clear }))).toMatch(
      /is written in part and could not be wiped: ENOENT/,
    );
  });
});

it('ends at its deadline with any source', async () => {
  const slow = await serve(IMAGE, [{ stallAfter: 1000 }]);
  const next = await serve(IMAGE, [{ stallAfter: -1 }]);
  const work = write({ urls: [slow.url, next.url], device: makeDisk(), deadlineMs: 200 });
  // Both share one deadline: the second source has no time left.
  const overdue = /brought \d+( of \d+)? bytes in the 0\.2 s a transfer may take/g;
  expect((await messageOf(work)).match(overdue)).toHaveLength(2);
});
