/**
 * Writes an image to a disk as it comes: fetch -> digest -> decode -> write, with back-pressure and no
 * temporary file. What is hashed is what is fetched; the verdict comes at the end, and a wrong one
 * wipes both ends of the disk, so that nothing unverified boots.
 *
 * Zeros are written like other bytes: the disk is not known to be zero beforehand.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import type { ImageDownload } from '@ingot/shared/agent/image-info.ts';
import { wipeEnds } from '../disk/raw-write.ts';
import { publicUrl } from './download-error.ts';
import { type FetchSettings, openDownload } from './fetch.ts';
import { ImageError } from './image-error.ts';
import { createMeter } from './meter.ts';
import { SLOT_BYTES, writeSlots } from './slots.ts';
import { fromSources } from './sources.ts';
import { openTarget, type Target } from './target.ts';

export interface WriteRequest {
  readonly download: ImageDownload;
  readonly device: string;
  readonly deviceBytes: number;
  /**
   * Judges the image by its first bytes (4 MiB, or all) and its size on the disk, if that is known,
   * before the disk is touched. Answers the bytes of the disk it may take; throws to refuse it.
   */
  readonly check: (head: Buffer, imageBytes: number | null) => number;
  /** Makes the disk ready; called after the check, again when a changed image is begun anew. */
  readonly clear: () => Promise<void>;
  readonly fetch: FetchSettings;
  readonly onProgress: (progress: CommandProgress) => void;
}

export interface Written {
  readonly bytes: number;
  readonly seconds: number;
}

/** Throws with what went wrong and in which state that left the disk. */
export async function writeImage(request: WriteRequest): Promise<Written> {
  const { download, fetch } = request;
  const began = Date.now();
  const disk = { touched: false };
  const deadline = AbortSignal.timeout(fetch.deadlineMs);
  try {
    const bytes = await fromSources(download.urls, fetch.onRetry, (url) =>
      attempt(url, request, disk, deadline),
    );
    return { bytes, seconds: (Date.now() - began) / 1000 };
  } catch (error) {
    throw new ImageError(`${(error as Error).message}; ${await leave(request, disk)}`, { cause: error });
  }
}

async function leave({ device, deviceBytes }: WriteRequest, disk: { touched: boolean }): Promise<string> {
  if (!disk.touched) return `nothing on ${device} was changed`;
  try {
    await wipeEnds(device, deviceBytes);
    return `both ends of ${device} were wiped, so that it does not boot`;
  } catch (error) {
    return `${device} is written in part and could not be wiped: ${(error as Error).message}`;
  }
}

async function attempt(
  url: string,
  request: WriteRequest,
  disk: { touched: boolean },
  deadline: AbortSignal,
): Promise<number> {
  const { download, device } = request;
  const source = openDownload(url, request.fetch, deadline);
  const hash = createHash(download.algorithm);
  let fetched = 0;
  async function* hashed(): AsyncGenerator<Buffer, void> {
    for await (const chunk of source.bytes) {
      hash.update(chunk);
      fetched += chunk.length;
      yield chunk;
    }
  }
  /** A plain image has the size of its transfer. */
  const imageBytes = (): number | null =>
    download.rawBytes ?? (download.encoding === 'none' ? source.lengthBytes() : null);
  const meter = createMeter(request.onProgress, imageBytes);
  const to: { target?: Target; room: number } = { room: 0 };

  async function write(slot: Buffer, offset: number): Promise<void> {
    if (to.target === undefined) {
      to.room = request.check(slot, imageBytes());
      disk.touched = true;
      await request.clear();
      to.target = await openTarget(device);
    }
    if (offset + slot.length > to.room) throw tooLong(request, to.room);
    await to.target.write(slot, offset);
    meter(offset + slot.length);
  }

  try {
    const written = await writeSlots(decoded(hashed(), url, download.encoding), write);
    refuseDigest(hash.digest('hex'), fetched, url, download);
    if (written === 0) throw new ImageError(`the image at ${publicUrl(url)} is empty`);
    if (download.rawBytes !== null && written !== download.rawBytes)
      throw new ImageError(`the image has ${written} bytes, not the raw_size_bytes of ${download.rawBytes}`);
    await to.target?.sync();
    return written;
  } finally {
    await to.target?.close();
  }
}

function tooLong({ device, deviceBytes }: WriteRequest, room: number): ImageError {
  return new ImageError(
    `the image, whose size was not known beforehand, is larger than the ${room} bytes it may take of ${device} (${deviceBytes} bytes): use a smaller image, or a root device hint (properties.root_device) that names a larger disk`,
  );
}

function refuseDigest(got: string, fetched: number, url: string, download: ImageDownload): void {
  if (got === download.digest) return;
  throw new ImageError(
    `the image's checksum (image_os_hash_value or image_checksum) does not match: ${download.algorithm} expected ${download.digest}, got ${got} over ${fetched} bytes from ${publicUrl(url)}. Correct the checksum, or find out who changed the image`,
  );
}

/** Errors of the decoder name the source; those of the source itself pass through. */
async function* decoded(
  bytes: AsyncGenerator<Buffer, void>,
  url: string,
  encoding: ImageDownload['encoding'],
): AsyncGenerator<Buffer, void> {
  if (encoding === 'none') return yield* bytes;
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: SLOT_BYTES });
  const decoder = createZstdDecompress({ chunkSize: SLOT_BYTES });
  source.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => source.destroy());
  try {
    yield* source.pipe(decoder) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (!/^(ZSTD|Z)_/.test(String(code))) throw error;
    throw new ImageError(`what ${publicUrl(url)} sent is no sound zstd: ${message}`, { cause: error });
  }
}
