/**
 * Brings an image into the cache directory, hashing it on its way. The digest is of exactly the bytes stored.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { IngotError } from '../domain/errors.ts';
import type { Digest, ImageProgress, ImageRequest } from '../domain/images.ts';
import { openFileSource } from './file-source.ts';

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;
const CHUNK_BYTES = 1024 * 1024;

export interface FetchLimits {
  readonly allowed: readonly string[];
  readonly maxBytes: number;
}

export interface Fetched {
  readonly bytes: number;
  readonly digest: Digest;
}

/** Without user info and query: those may hold credentials. */
export function publicUrl(source: string): string {
  const { protocol, host, pathname } = new URL(source);
  return `${protocol}//${host}${pathname}`;
}

/** Throws imageFailure: unreachable, too large, cut short, or not what the digest says. */
export async function fetchImage(
  image: ImageRequest,
  target: string,
  limits: FetchLimits,
  options: { signal: AbortSignal; onProgress?: (progress: ImageProgress) => void },
): Promise<Fetched> {
  const algorithm = image.digest?.algorithm ?? 'sha256';
  const hash = createHash(algorithm);
  const source = await openSource(image.source, limits, options.signal);
  const handle = await open(target, 'w', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of source.chunks) {
      bytes += (chunk as Buffer).length;
      if (bytes > limits.maxBytes) throw tooLarge(image, limits.maxBytes);
      hash.update(chunk as Buffer);
      await handle.writeFile(chunk as Buffer);
      options.onProgress?.({
        phase: 'fetch',
        bytesDone: bytes,
        ...(source.length === null ? {} : { bytesTotal: source.length }),
      });
    }
    await handle.sync();
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof IngotError) throw error;
    throw new IngotError(
      'imageFailure',
      `image ${publicUrl(image.source)} broke off after ${bytes} bytes: ${(error as Error).message}`,
      { cause: error },
    );
  } finally {
    await handle.close();
    await source.close();
  }
  if (source.length !== null && bytes !== source.length) {
    throw new IngotError(
      'imageFailure',
      `image ${publicUrl(image.source)} ended after ${bytes} of ${source.length} bytes`,
    );
  }
  const digest: Digest = { algorithm, value: hash.digest('hex') };
  if (image.digest !== undefined && image.digest.value !== digest.value) {
    throw new IngotError(
      'imageFailure',
      `image checksum does not match: ${algorithm} expected ${image.digest.value}, got ${digest.value}, over ${bytes} bytes from ${source.finalUrl}. Correct instance_info.image_checksum (or image_os_hash_value), or the image`,
    );
  }
  return { bytes, digest };
}

const tooLarge = (image: ImageRequest, maxBytes: number): IngotError =>
  new IngotError(
    'imageFailure',
    `image ${publicUrl(image.source)} is larger than ${maxBytes} bytes, the size of the image cache (images.cache_gib)`,
  );

interface Source {
  readonly chunks: AsyncIterable<unknown>;
  readonly length: number | null;
  readonly finalUrl: string;
  close(): Promise<void>;
}

async function openSource(source: string, limits: FetchLimits, signal: AbortSignal): Promise<Source> {
  if (source.startsWith('file:')) {
    const path = await openFileSource(source, limits.allowed);
    const chunks = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
    return { chunks, length: null, finalUrl: source, close: async () => void chunks.destroy() };
  }
  const dispatcher = new Agent({ connect: { timeout: TIMEOUT_MS } });
  try {
    return await follow(source, dispatcher, signal);
  } catch (error) {
    await dispatcher.destroy();
    signal.throwIfAborted();
    if (error instanceof IngotError) throw error;
    throw new IngotError(
      'imageFailure',
      `image ${publicUrl(source)} cannot be fetched: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Redirects are followed by hand: credentials of the first URL never go to another host. */
async function follow(source: string, dispatcher: Agent, signal: AbortSignal): Promise<Source> {
  let url = new URL(source);
  for (let redirects = 0; ; redirects += 1) {
    const { username, password } = url;
    const authorization =
      username === ''
        ? {}
        : {
            authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
          };
    const bare = new URL(url);
    bare.username = '';
    bare.password = '';
    const response = await request(bare, {
      dispatcher,
      headers: authorization,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal,
    });
    const { location } = response.headers;
    if (response.statusCode >= 300 && response.statusCode < 400 && typeof location === 'string') {
      await response.body.dump();
      if (redirects === MAX_REDIRECTS)
        throw new IngotError(
          'imageFailure',
          `image ${publicUrl(source)} redirects more than ${MAX_REDIRECTS} times`,
        );
      url = new URL(location, bare);
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new IngotError('imageFailure', `image ${publicUrl(source)} redirects to a ${url.protocol} URL`);
      continue;
    }
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new IngotError(
        'imageFailure',
        `image ${publicUrl(url.href)} answered HTTP ${response.statusCode}`,
      );
    }
    const length = Number(response.headers['content-length'] ?? Number.NaN);
    return {
      chunks: response.body,
      length: Number.isFinite(length) ? length : null,
      finalUrl: publicUrl(url.href),
      close: () => dispatcher.destroy(),
    };
  }
}
