/**
 * What the image service is made from: its settings, and what app/ gives it.
 */
import type { ImageRequest } from '../domain/images.ts';
import type { Logger } from '../domain/logger.ts';
import type { Store } from '../domain/store/store.ts';
import type { ImageFilesSettings } from './image-files.ts';
import type { ImportGuard, ImportRules } from './import-guard.ts';

/** `dir` is `<data dir>/image-service`; made when it is not there. */
export interface ImageServiceSettings extends ImportRules, ImageFilesSettings {
  /** Largest image data. */
  readonly maxBytes: number;
  /** Longest pause between two chunks of an upload. */
  readonly stallMs: number;
  /** Of one whole import. */
  readonly importLimitMs: number;
}

export interface ImportSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** As announced; null when it was not. */
  readonly length: number | null;
  close(): Promise<void>;
}

export interface ImageServiceDeps {
  readonly store: Pick<Store, 'compute'>;
  readonly settings: ImageServiceSettings;
  /** Whether a file is of the format that is declared (Glance's disk_format), and may be used. */
  readonly examine: (
    path: string,
    sizeBytes: number,
    diskFormat: string,
  ) => Promise<
    | { readonly ok: true; readonly virtualSize: number | null }
    | { readonly ok: false; readonly reason: string }
  >;
  /** Throws imageFailure, as its chunks do. */
  readonly fetch: (
    url: string,
    options: { readonly stallMs: number; readonly signal: AbortSignal; readonly guard: ImportGuard },
  ) => Promise<ImportSource>;
  /** Those of these images that the image cache has ready for machines. */
  readonly prepared: (requests: readonly ImageRequest[]) => Promise<readonly ImageRequest[]>;
  readonly logger: Logger;
  readonly now: () => Date;
}
