/**
 * The image service: records, data, and what other rooms need of both. app/ creates it, starts it before the services
 * that use it, and stops it after them.
 */
import type { StoredImages } from '../domain/images.ts';
import type { Caller } from '../domain/policy.ts';
import type { ImageServiceSettings } from './deps.ts';
import type { ImageFiles } from './image-files.ts';
import type { ImageRecords } from './image-records.ts';
import type { ImageService } from './image-service.ts';
import type { ImageTransfers } from './image-transfers.ts';

/** Everything, for the image API. ImageService is the part that servers use. */
export interface ImageLibrary extends ImageService {
  readonly records: ImageRecords;
  readonly files: ImageFiles;
  readonly transfers: ImageTransfers;
  /** For the image cache. */
  readonly stored: StoredImages;
  /**
   * For the node API: whether the caller may use the image that a node names. Callers with system scope may use all.
   */
  sees(uuid: string, caller: Caller): Promise<boolean>;
  readonly settings: ImageServiceSettings;
  /** Continues what an earlier run began and removes its leftovers. Call it before requests are accepted. */
  start(): Promise<void>;
  /** Ends uploads and imports. Imports continue at the next start. */
  stop(): Promise<void>;
}
