/**
 * Writes an image to a disk as it comes: fetch -> digest -> decode -> write, with back-pressure and no
 * temporary file. What is hashed is what is fetched; the verdict comes at the end, and a wrong one
 * wipes both ends of the disk, so that nothing unverified boots.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import type { ImageDownload } from '@ingot/shared/agent/image-info.ts';
import { type FetchSettings, openDownload, publicUrl } from './fetch.ts';

const SLOT_BYTES = 4 * 1024 * 1024;
/** Written data is flushed in such portions, so that the last flush is short and memory stays free. */
const FLUSH_BYTES = 256 * 1024 * 1024;
const WIPE_BYTES = 1024 * 1024;
const PROGRESS_MS = 500;

export interface WriteRequest {
  readonly download: ImageDownload;
  readonly device: string;
  readonly deviceBytes: number;
  readonly fetch: FetchSettings;
  readonly onProgress: (progress: CommandProgress) => void;
}

export interface Written {
  readonly bytes: number;
  readonly seconds: number;
}

export class ImageError extends Error {
  override readonly name = 'ImageError';
}

export async function writeImage(request: WriteRequest): Promise<Written> {
  const { download, deviceBytes, device } = request;
  refuseTooLarge(download.rawBytes, deviceBytes, device);
  const began = Date.now();
  // Exclusive: a disk that is mounted or part of a RAID is refused by the kernel.
  const handle = await open(device, constants.O_WRONLY | constants.O_EXCL);
  try {
    const bytes = await stream(handle, request);
    await handle.sync();
    return { bytes, seconds: (Date.now() - began) / 1000 };
  } catch (error) {
    await wipeEnds(handle, deviceBytes);
    throw error;
  } finally {
    await handle.close();
  }
}

function refuseTooLarge(bytes: number | null, deviceBytes: number, device: string): void {
  if (bytes !== null && bytes > deviceBytes) {
    throw new ImageError(
      `the image is ${bytes} bytes and does not fit on ${device} of ${deviceBytes} bytes; nothing was written. Use a smaller image, or a root device hint that names a larger disk`,
    );
  }
}

async function stream(handle: FileHandle, request: WriteRequest): Promise<number> {
  const { download, deviceBytes, device, fetch } = request;
  const [url] = download.urls as [string];
  const source = openDownload(url, fetch);
  const hash = createHash(download.algorithm);
  let fetched = 0;
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of source.bytes) {
      // A plain image has the size of its transfer, known before its first byte is written.
      if (fetched === 0 && download.encoding === 'none')
        refuseTooLarge(source.lengthBytes(), deviceBytes, device);
      hash.update(chunk);
      fetched += chunk.length;
      yield chunk;
    }
  }
  const total = (): number | null => download.rawBytes ?? source.lengthBytes();
  const written = await writeSlots(handle, decoded(hashed(), download.encoding), request, total);
  const got = hash.digest('hex');
  if (got !== download.digest) {
    throw new ImageError(
      `image checksum does not match: ${download.algorithm} expected ${download.digest}, got ${got}, over ${fetched} bytes from ${publicUrl(url)}; both ends of ${device} were wiped`,
    );
  }
  return written;
}

function decoded(bytes: AsyncGenerator<Buffer>, encoding: ImageDownload['encoding']): AsyncIterable<Buffer> {
  if (encoding === 'none') return bytes;
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: SLOT_BYTES });
  const decoder = createZstdDecompress({ chunkSize: SLOT_BYTES });
  source.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => source.destroy());
  return source.pipe(decoder) as AsyncIterable<Buffer>;
}

/** Gathers chunks into one slot and writes it; the source waits meanwhile. */
async function writeSlots(
  handle: FileHandle,
  chunks: AsyncIterable<Buffer>,
  { deviceBytes, device, onProgress }: WriteRequest,
  total: () => number | null,
): Promise<number> {
  const slot = Buffer.allocUnsafe(SLOT_BYTES);
  const meter = createMeter(onProgress, total);
  let [filled, offset, unflushed] = [0, 0, 0];

  async function flushSlot(): Promise<void> {
    refuseTooLarge(offset + filled, deviceBytes, device);
    await handle.write(slot, 0, filled, offset);
    offset += filled;
    unflushed += filled;
    filled = 0;
    meter(offset);
    if (unflushed >= FLUSH_BYTES) {
      await handle.datasync();
      unflushed = 0;
    }
  }

  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const part = Math.min(chunk.length - at, SLOT_BYTES - filled);
      chunk.copy(slot, filled, at, at + part);
      filled += part;
      at += part;
      if (filled === SLOT_BYTES) await flushSlot();
    }
  }
  if (filled > 0) await flushSlot();
  return offset;
}

function createMeter(
  report: WriteRequest['onProgress'],
  total: () => number | null,
): (written: number) => void {
  const began = Date.now();
  let last = 0;
  return (written) => {
    const now = Date.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    const seconds = (now - began) / 1000;
    report({
      phase: 'write',
      bytes_done: written,
      bytes_total: total(),
      bytes_per_second: seconds > 0 ? Math.round(written / seconds) : null,
    });
  };
}

async function wipeEnds(handle: FileHandle, deviceBytes: number): Promise<void> {
  const zeros = Buffer.alloc(Math.min(WIPE_BYTES, deviceBytes));
  await handle.write(zeros, 0, zeros.length, 0);
  await handle.write(zeros, 0, zeros.length, deviceBytes - zeros.length);
  await handle.sync();
}
