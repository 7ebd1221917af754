/**
 * Looks up the digest of an image in its checksum file, and remembers it.
 */
import type { Digest, ImageRequest } from '../domain/images.ts';
import { type ChecksumLimits, fetchDigest } from './checksum-file.ts';

/** Remembered pairs of checksum URL and image. A conductor deploys only a few images at a time. */
const MAX_KNOWN = 256;

export interface DigestLookup {
  /** The request with its digest. With `reuse` a remembered digest of any age is used. Throws imageFailure. */
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
