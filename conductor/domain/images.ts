/**
 * What the deploy path needs from the image room.
 */
export type DigestAlgorithm = 'md5' | 'sha256' | 'sha512';

export interface Digest {
  readonly algorithm: DigestAlgorithm;
  /** Lower-case hex. */
  readonly value: string;
}

export interface ImageRequest {
  /** http(s) URL, or file URL under an allowed directory. */
  readonly source: string;
  /** Of the source file as it is published. Required for http(s); computed for file sources when absent. */
  readonly digest?: Digest;
  /** What the operator says it is; must agree with what the parser finds. */
  readonly diskFormat?: string;
}

/** An image ready to be fetched by agents: raw bytes, and the same bytes compressed. */
export interface ReadyImage {
  /** Cache key, hex. */
  readonly id: string;
  /** Size of the raw disk image, bytes. */
  readonly sizeBytes: number;
  /** Path under the boot HTTP server, `/images/<id>/raw`. */
  readonly path: string;
  readonly digest: Digest;
  /** The raw image as one zstd stream; its digest is of the compressed bytes. */
  readonly compressed: { readonly path: string; readonly sizeBytes: number; readonly digest: Digest };
}

export interface ImageProgress {
  readonly phase: 'fetch' | 'inspect' | 'convert' | 'compress';
  readonly bytesDone: number;
  readonly bytesTotal?: number;
}

export interface ImageCache {
  /**
   * Checks the request without fetching: scheme, allow-list, digest present and well formed.
   * Throws IngotError('invalidParameter' | 'missingParameter') naming the instance_info field.
   */
  validate(request: ImageRequest): void;
  /** Fetches, verifies and converts once; concurrent calls for one image share the work. Throws IngotError('imageFailure'). */
  ensure(
    request: ImageRequest,
    options: { signal: AbortSignal; onProgress?: (progress: ImageProgress) => void },
  ): Promise<ReadyImage>;
}
