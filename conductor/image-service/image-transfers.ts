/**
 * How images get their data: by uploads of their owners, and by imports that the conductor fetches itself.
 *
 * The record becomes `saving` or `importing` before the first byte is read, and `active` when all bytes are on the
 * disk and were examined. After a failure the image is queued again, so that the transfer can be repeated.
 */
import { REFUSED_FOR_GUESTS, RefusedDestination } from '../domain/outbound/outbound.ts';
import type { Tenant } from '../identity/tenant.ts';
import type { ImageServiceDeps } from './deps.ts';
import type { ImageFiles } from './image-files.ts';
import { createImageImports } from './image-import.ts';
import { createImageIntake } from './image-intake.ts';
import { createImageQuota } from './image-quota.ts';
import type { ImageRecords } from './image-records.ts';
import { createImageUpload, type ImageUpload } from './image-upload.ts';
import { parseImportUrl, refusedImport } from './import-url.ts';
import { createRunningTransfers } from './running-transfers.ts';

export interface ImageTransfers {
  readonly upload: ImageUpload;
  /** Begins the import. Its result is stored in the image. */
  startImport(uuid: string, tenant: Tenant, url: string): Promise<void>;
  /** Aborts the transfer of an image that is being deleted. */
  cancel(uuid: string): void;
  /** At start: begins imports again, makes images with an interrupted upload queued, and removes leftover files. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

export function createImageTransfers(
  deps: ImageServiceDeps,
  records: ImageRecords,
  files: ImageFiles,
): ImageTransfers {
  const { settings, logger } = deps;
  const transfers = createRunningTransfers();
  const quota = createImageQuota(settings.projectBytes ?? 0, records);
  const intake = createImageIntake(deps, records, files, transfers);
  const imports = createImageImports(deps, files, quota, transfers, intake);

  return {
    upload: createImageUpload(settings, files, quota, transfers, intake),

    async startImport(uuid, tenant, url) {
      await deps.checkAddress(parseImportUrl(url, settings)).catch((error: unknown) => {
        if (!(error instanceof RefusedDestination)) throw error;
        logger.warn({ image: uuid, err: error }, 'an image import was refused');
        throw refusedImport(REFUSED_FOR_GUESTS);
      });
      const { image, transfer } = await intake.claim(uuid, tenant, 'importing', url);
      imports.run(image, transfer, url);
    },

    cancel: (uuid) => transfers.cancel(uuid),

    async recover() {
      const all = await records.all();
      const withData = all.filter(({ status }) => status === 'active' || status === 'deactivated');
      for (const uuid of await files.sweep(new Set(withData.map((image) => image.uuid))))
        logger.error({ image: uuid, path: files.path(uuid) }, 'the data of an image is not there');
      for (const { uuid, status } of all)
        if (status === 'saving') await records.change(uuid, () => ({ status: 'queued' }));
      for (const image of all)
        if (image.status === 'importing' && image.importUrl !== null)
          imports.run(image, transfers.begin(image.uuid), image.importUrl);
    },

    async stop() {
      await Promise.all([transfers.stop(), imports.ended()]);
    },
  };
}
