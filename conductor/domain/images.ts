/**
 * The interface of the images room, as deployments use it.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { Node } from './node.ts';

export type DigestAlgorithm = 'md5' | 'sha256' | 'sha512';

/** Number of hex digits of each algorithm. A digest without a named algorithm is recognized by its length. */
export const DIGEST_HEX_LENGTH: Readonly<Record<DigestAlgorithm, number>> = {
  md5: 32,
  sha256: 64,
  sha512: 128,
};

export interface Digest {
  readonly algorithm: DigestAlgorithm;
  /** Lower-case hex. */
  readonly value: string;
}

export interface ImageRequest {
  /**
   * http(s) URL, or file URL under an allowed directory; with an image service `glance://<uuid>` or a bare UUID,
   * whose digest and format are known.
   */
  readonly source: string;
  /** Digest of the source file as published. Required for http(s); computed for file sources when absent. */
  readonly digest?: Digest;
  /** Instead of `digest`: http(s) URL of a file of digests, as published beside images (SHA256SUMS). */
  readonly checksumUrl?: string;
  /** The key of instance_info that contains the digest, for messages; image_checksum when absent. */
  readonly digestField?: 'image_checksum' | 'image_os_hash_value';
  /** The format that the operator declares; must agree with the detected one. */
  readonly diskFormat?: string;
}

/** An image ready to be fetched by agents: raw bytes, and the same bytes compressed. */
export interface ReadyImage {
  /** Cache key, hex. */
  readonly id: string;
  /** Size of the raw disk image, bytes. */
  readonly sizeBytes: number;
  readonly digest: Digest;
  /** The raw image as one zstd stream; its digest is of the compressed bytes. */
  readonly compressed: { readonly sizeBytes: number; readonly digest: Digest };
}

export interface ImageProgress {
  readonly phase: 'fetch' | 'inspect' | 'convert' | 'compress';
  readonly bytesDone: number;
  readonly bytesTotal?: number;
}

export interface EnsureOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImageProgress) => void;
  /** Use the digest that an earlier call read from `checksumUrl`: a running deployment keeps its image. */
  readonly reuseChecksum?: boolean;
}

export interface ImageCache {
  /**
   * Checks the request without fetching: scheme, allow-list, digest present and well formed.
   * Throws IngotError('invalidParameter' | 'missingParameter') naming the instance_info field.
   */
  validate(request: ImageRequest): void;
  /** Fetches, verifies and converts once; concurrent calls for one image share the work. Throws IngotError('imageFailure'). */
  ensure(request: ImageRequest, options: EnsureOptions): Promise<ReadyImage>;
  /**
   * Where the agent of the node can fetch the image, during its session: paths with query under the provisioning
   * listener.
   */
  pathsFor(image: ReadyImage, node: Node): { readonly raw: string; readonly compressed: string };
}

/** The URL scheme that Ironic uses for images of Glance. */
export const STORED_SCHEME = 'glance://';

/** The image of the image service that an image_source names; undefined for URLs of other kinds. */
export function storedImageId(source: string): string | undefined {
  const id = source.startsWith(STORED_SCHEME) ? source.slice(STORED_SCHEME.length) : source;
  return isUuid(id) ? id.toLowerCase() : undefined;
}

/** An image that the conductor stores itself, in its image service. */
export interface StoredImage {
  readonly path: string;
  readonly digest: Digest;
  /** null when it was not declared. */
  readonly diskFormat: string | null;
}

export interface StoredImages {
  /** Throws imageFailure naming instance_info/image_source when there is no such image or it can not be used. */
  locate(uuid: string): Promise<StoredImage>;
}
