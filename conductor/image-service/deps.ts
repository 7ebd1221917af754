/**
 * What the image service needs: its settings, and functions that app/ provides.
 */
import type { ImageRequest } from '../domain/images.ts';
import type { Logger } from '../domain/logger.ts';
import type { Store } from '../domain/store/store.ts';
import type { ImageFilesSettings } from './image-files.ts';
import type { ImportRules } from './import-url.ts';

/** `dir` is `<data dir>/image-service`; created when it does not exist. */
export interface ImageServiceSettings extends ImportRules, ImageFilesSettings {
  /** Largest image data. */
  readonly maxBytes: number;
  /** All image data of a project; 0 or absent: no limit. */
  readonly projectBytes?: number;
  /** Longest pause between two chunks of an upload. */
  readonly stallMs: number;
  /** Limit for one whole import. */
  readonly importLimitMs: number;
}

export interface ImportSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Content-Length of the answer; null without one. */
  readonly length: number | null;
  close(): Promise<void>;
}

export interface ImageServiceDeps {
  readonly store: Pick<Store, 'compute'>;
  readonly settings: ImageServiceSettings;
  /** Whether a file has the declared format (Glance's disk_format) and may be used. */
  readonly examine: (
    path: string,
    sizeBytes: number,
    diskFormat: string,
    sha512: string,
    signal: AbortSignal,
  ) => Promise<
    | { readonly ok: true; readonly virtualSize: number | null }
    | { readonly ok: false; readonly reason: string }
  >;
  /** Throws imageFailure; so do the chunks. */
  readonly fetch: (
    url: string,
    options: {
      readonly stallMs: number;
      readonly signal: AbortSignal;
      readonly checkUrl: (url: URL) => void;
    },
  ) => Promise<ImportSource>;
  /** Throws RefusedDestination for a host that is an address which is not allowed. */
  readonly checkAddress: (url: URL) => Promise<void>;
  /** Those of these images that the image cache has ready for deployment. */
  readonly prepared: (requests: readonly ImageRequest[]) => Promise<readonly ImageRequest[]>;
  readonly logger: Logger;
  readonly now: () => Date;
}
