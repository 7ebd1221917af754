/**
 * Fetches an image into the cache directory and computes the digest of exactly the stored bytes.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { IngotError } from '../domain/errors.ts';
import {
  type Digest,
  type ImageProgress,
  type ImageRequest,
  type StoredImages,
  storedImageId,
} from '../domain/images.ts';
import type { Outbound } from '../domain/outbound/outbound.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { openFileSource } from './file-source.ts';
import { type ByteSource, openHttp } from './http-source.ts';
import { explain } from './source-error.ts';
import { openStoredImage } from './stored-image.ts';

/** Hashing a chunk blocks the event loop for about a quarter of a millisecond. */
const CHUNK_BYTES = 256 * 1024;

export interface FetchLimits {
  /** For http(s) sources. */
  readonly outbound: Outbound;
  /** Directories for `file://` sources. */
  readonly allowed: readonly string[];
  /** For `glance://` sources, which are refused without it. */
  readonly stored?: StoredImages | undefined;
  readonly maxBytes: number;
  /** Time limit without data from the source. */
  readonly stallMs: number;
  /** Time limit of the whole transfer. */
  readonly limitMs: number;
}

export interface Fetched {
  readonly bytes: number;
  readonly digest: Digest;
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImageProgress) => void;
}

const failure = (field: string, what: string, cause?: unknown): IngotError =>
  new IngotError('imageFailure', `instance_info/${field}: ${what}`, { cause });

/** Throws imageFailure if the source is unreachable, too slow, too large or truncated, or the digest differs. */
export async function fetchImage(
  image: ImageRequest,
  target: string,
  limits: FetchLimits,
  { signal, onProgress }: FetchOptions,
): Promise<Fetched> {
  const deadline = AbortSignal.timeout(limits.limitMs);
  const either = AbortSignal.any([signal, deadline]);
  const algorithm = image.digest?.algorithm ?? 'sha256';
  const hash = createHash(algorithm);
  let bytes = 0;
  let source: ByteSource | undefined;
  let handle: FileHandle | undefined;
  try {
    source = await openSource(image.source, limits, either);
    const { length } = source;
    if ((length ?? 0) > limits.maxBytes) throw tooLarge(image, length ?? 0, limits);
    handle = await open(target, 'w', 0o600);
    for await (const chunk of source.chunks) {
      either.throwIfAborted();
      bytes += chunk.length;
      if (bytes > limits.maxBytes) throw tooLarge(image, bytes, limits);
      hash.update(chunk);
      await handle.writeFile(chunk);
      onProgress?.({ phase: 'fetch', bytesDone: bytes, ...(length === null ? {} : { bytesTotal: length }) });
    }
    if (length !== null && bytes !== length)
      throw failure('image_source', `${redactedUrl(image.source)} ended after ${bytes} of ${length} bytes`);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw tooSlow(image, bytes, limits);
    if (error instanceof IngotError) throw error;
    const broke = `${redactedUrl(image.source)} broke off after ${bytes} bytes: ${explain(error)}`;
    throw failure('image_source', broke, error);
  } finally {
    await handle?.close();
    await source?.close();
  }
  const digest: Digest = { algorithm, value: hash.digest('hex') };
  checkDigest(image, digest, bytes, source.finalUrl);
  return { bytes, digest };
}

function checkDigest(image: ImageRequest, found: Digest, bytes: number, finalUrl: string): void {
  if (image.digest === undefined || image.digest.value === found.value) return;
  const { digestField: field = 'image_checksum', checksumUrl } = image;
  const origin = checksumUrl === undefined ? '' : ` (from ${redactedUrl(checksumUrl)})`;
  throw failure(
    field,
    `the ${found.algorithm} digest does not match: expected ${image.digest.value}${origin}, got ${found.value} over ${bytes} bytes from ${finalUrl}. ` +
      `To try: compare with the digest that the publisher gives; then correct instance_info/${field}, or the file at instance_info/image_source`,
  );
}

function tooLarge(image: ImageRequest, bytes: number, { maxBytes }: FetchLimits): IngotError {
  return failure(
    'image_source',
    `${redactedUrl(image.source)} is ${bytes} bytes or more, but the image cache is limited to ${maxBytes}. To try: raise images.cache_gib`,
  );
}

function tooSlow(image: ImageRequest, bytes: number, { limitMs }: FetchLimits): IngotError {
  return failure(
    'image_source',
    `${redactedUrl(image.source)} was not fetched within ${limitMs / 1000} s; ${bytes} bytes were received. To try: use a faster server, or raise images.fetch_timeout`,
  );
}

async function openSource(source: string, limits: FetchLimits, signal: AbortSignal): Promise<ByteSource> {
  const stored = storedImageId(source);
  if (stored === undefined && !source.startsWith('file:'))
    return openHttp(source, {
      outbound: limits.outbound,
      field: 'instance_info/image_source',
      stallMs: limits.stallMs,
      signal,
    });
  const { handle, sizeBytes } =
    stored === undefined
      ? await openFileSource(source, limits.allowed)
      : await openStoredImage(stored, limits.stored);
  const chunks = readChunks(handle);
  return { chunks, length: sizeBytes, finalUrl: source, close: () => handle.close() };
}

/** All chunks use the same buffer, so a chunk must be used before the next one is read. */
async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
