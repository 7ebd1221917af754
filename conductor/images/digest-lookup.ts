/**
 * Turns a request that names a file of digests into one that holds the digest, and keeps in memory what was read.
 */
import type { Digest, ImageRequest } from '../domain/images.ts';
import { type ChecksumLimits, fetchDigest } from './checksum-file.ts';

/** Of image and checksum URL pairs; a conductor deploys a few images at a time. */
const MAX_KNOWN = 256;

export interface DigestLookup {
  /** With `reuse` an answer of any age will do. Throws imageFailure. */
  settle(image: ImageRequest, options: { reuse: boolean; signal: AbortSignal }): Promise<ImageRequest>;
}

export function createDigestLookup(limits: ChecksumLimits): DigestLookup {
  const known = new Map<string, Digest>();

  function remember(key: string, digest: Digest): void {
    known.delete(key);
    known.set(key, digest);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  return {
    async settle(image, { reuse, signal }) {
      const { checksumUrl, source } = image;
      if (image.digest !== undefined || checksumUrl === undefined) return image;
      const key = `${checksumUrl}\0${source}`;
      const digest =
        (reuse ? known.get(key) : undefined) ?? (await fetchDigest(checksumUrl, source, limits, signal));
      remember(key, digest);
      return { ...image, digest };
    },
  };
}
