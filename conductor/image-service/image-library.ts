/**
 * The image service: records, data, and what the rest of the conductor needs of both. Made by app/, which starts
 * it before the services that use it, and stops it after them.
 */
import type { StoredImages } from '../domain/images.ts';
import type { Caller } from '../domain/policy.ts';
import type { ImageServiceSettings } from './deps.ts';
import type { ImageFiles } from './image-files.ts';
import type { ImageRecords } from './image-records.ts';
import type { ImageService } from './image-service.ts';
import type { ImageTransfers } from './image-transfers.ts';

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
