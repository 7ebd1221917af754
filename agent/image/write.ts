/**
 * Streams an image to a disk: fetch -> digest -> decode -> write, with back-pressure and without a temporary file. The
 * digest is computed over the fetched bytes and compared at the end. If it differs, both ends of the disk are wiped, so
 * that an unverified image does not boot.
 *
 * Zeros are written like other bytes, because the disk may hold old data.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import type { ImageDownload } from '@ingot/shared/agent/image-info.ts';
import { wipeEnds } from '../disk/raw-write.ts';
import { BUFFER_BYTES, writeDoubleBuffered } from './double-buffer.ts';
import { publicUrl } from './download-error.ts';
import { type FetchSettings, openDownload } from './fetch.ts';
import { ImageError } from './image-error.ts';
import { createProgressReporter } from './progress.ts';
import { fromSources } from './sources.ts';
import { openTarget, type Target } from './target.ts';

export interface WriteRequest {
  readonly download: ImageDownload;
  readonly device: string;
  readonly deviceBytes: number;
  /**
   * Checks the image by its first bytes (4 MiB or less) and its size on the disk, if known, before anything is
   * written. Returns the bytes of the disk that the image may use; throws to refuse it.
   */
  readonly check: (head: Buffer, imageBytes: number | null) => number;
  /** Prepares the disk. Called after the check, and again when a changed image is downloaded again. */
  readonly clear: () => Promise<void>;
  readonly fetch: FetchSettings;
  readonly onProgress: (progress: CommandProgress) => void;
}

export interface Written {
  readonly bytes: number;
  readonly seconds: number;
}

/** Throws an error that says what went wrong and in which state the disk is. */
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
    throw new ImageError(`${(error as Error).message}; ${await wipeAfterFailure(request, disk)}`, {
      cause: error,
    });
  }
}

async function wipeAfterFailure(
  { device, deviceBytes }: WriteRequest,
  disk: { touched: boolean },
): Promise<string> {
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
  /** An uncompressed image has the size of its transfer. */
  const imageBytes = (): number | null =>
    download.rawBytes ?? (download.encoding === 'none' ? source.lengthBytes() : null);
  const reportProgress = createProgressReporter(request.onProgress, imageBytes);
  const to: { target?: Target; room: number } = { room: 0 };

  async function write(buffer: Buffer, offset: number): Promise<void> {
    if (to.target === undefined) {
      to.room = request.check(buffer, imageBytes());
      disk.touched = true;
      await request.clear();
      to.target = await openTarget(device);
    }
    if (offset + buffer.length > to.room) throw tooLong(request, to.room);
    await to.target.write(buffer, offset);
    reportProgress(offset + buffer.length);
  }

  try {
    const written = await writeDoubleBuffered(decoded(hashed(), url, download.encoding), write);
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
    `the image, whose size was not known beforehand, is larger than the ${room} bytes it may use of ${device} (${deviceBytes} bytes): use a smaller image, or a root device hint (properties.root_device) that names a larger disk`,
  );
}

function refuseDigest(got: string, fetched: number, url: string, download: ImageDownload): void {
  if (got === download.digest) return;
  throw new ImageError(
    `the image's checksum (image_os_hash_value or image_checksum) does not match: ${download.algorithm} expected ${download.digest}, got ${got} over ${fetched} bytes from ${publicUrl(url)}. Correct the checksum, or check whether the image was changed`,
  );
}

/** Errors of the decoder get a text that names the source. Errors of the download pass through. */
async function* decoded(
  bytes: AsyncGenerator<Buffer, void>,
  url: string,
  encoding: ImageDownload['encoding'],
): AsyncGenerator<Buffer, void> {
  if (encoding === 'none') return yield* bytes;
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: BUFFER_BYTES });
  const decoder = createZstdDecompress({ chunkSize: BUFFER_BYTES });
  source.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => source.destroy());
  try {
    yield* source.pipe(decoder) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (!/^(ZSTD|Z)_/.test(String(code))) throw error;
    throw new ImageError(`what ${publicUrl(url)} sent is not valid zstd: ${message}`, { cause: error });
  }
}
