/**
 * The image service: records, data, and what the rest of the conductor needs of both. Made by app/, which starts
 * it before and stops it after whatever asks it.
 */
import type { ImageRequest, StoredImages } from '../domain/images.ts';
import type { Logger } from '../domain/logger.ts';
import type { Caller } from '../domain/policy.ts';
import type { Store } from '../domain/store/store.ts';
import { tenantOf } from '../identity/tenant.ts';
import { createImageServicePort, createStoredImages } from './deployable-images.ts';
import { canSee } from './image-access.ts';
import { type ImageFiles, type ImageFilesSettings, openImageFiles } from './image-files.ts';
import { createImageRecords, type ImageRecords } from './image-records.ts';
import type { ImageService } from './image-service.ts';
import { createImageTransfers, type ImageTransfers } from './image-transfers.ts';
import type { ImportGuard, ImportRules } from './import-guard.ts';

/** `dir` is `<data dir>/image-service`; made when it is not there. */
export interface ImageServiceSettings extends ImportRules, ImageFilesSettings {
  /** Largest image data. */
  readonly maxBytes: number;
  /** Longest silence of who sends an image. */
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

/** All of it, for the image API; the port for servers is a part. */
export interface ImageLibrary extends ImageService {
  readonly records: ImageRecords;
  readonly files: ImageFiles;
  readonly transfers: ImageTransfers;
  /** For the image cache. */
  readonly stored: StoredImages;
  /** For the node API: whether who names an image may use it. Those of the system may use all. */
  sees(uuid: string, caller: Caller): Promise<boolean>;
  readonly settings: ImageServiceSettings;
  /** Goes on with what an earlier run began, and removes what it left. Before requests are taken. */
  start(): Promise<void>;
  /** Ends uploads and imports; imports go on at the next start. */
  stop(): Promise<void>;
}

export function createImageService(deps: ImageServiceDeps): ImageLibrary {
  const records = createImageRecords(deps.store.compute.images, deps.now);
  const files = openImageFiles(deps.settings);
  const transfers = createImageTransfers(deps, records, files);
  return {
    ...createImageServicePort(deps, records),
    records,
    files,
    transfers,
    stored: createStoredImages(records, files),
    async sees(uuid, caller) {
      const image = await records.find(uuid);
      return image !== undefined && (caller.scope.kind === 'system' || canSee(tenantOf(caller), image));
    },
    settings: deps.settings,
    start: () => transfers.recover(),
    stop: () => transfers.stop(),
  };
}
