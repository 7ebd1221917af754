/**
 * Creates the image service: records, files, transfers, and the interface for servers.
 */
import { tenantOf } from '../identity/tenant.ts';
import { createImageServicePort, createStoredImages } from './deployable-images.ts';
import type { ImageServiceDeps } from './deps.ts';
import { canSee } from './image-access.ts';
import { openImageFiles } from './image-files.ts';
import type { ImageLibrary } from './image-library.ts';
import { createImageRecords } from './image-records.ts';
import { createImageTransfers } from './image-transfers.ts';

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
