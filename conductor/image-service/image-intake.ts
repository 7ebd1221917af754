/**
 * What uploads and imports of image data have in common: the claim of a queued image, and the end of a transfer.
 */
import type { Image } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Tenant } from '../identity/tenant.ts';
import type { ImageServiceDeps } from './deps.ts';
import { canSee, checkMayChange, missingImage } from './image-access.ts';
import type { ImageFiles, ReceivedData } from './image-files.ts';
import type { ImageRecords } from './image-records.ts';
import type { RunningTransfers, Transfer } from './running-transfers.ts';

export interface ImageIntake {
  /** Begins the transfer of an image that has no data yet. Throws conflict and invalidParameter. */
  claim(
    uuid: string,
    tenant: Tenant,
    status: 'saving' | 'importing',
    importUrl: string | null,
  ): Promise<{ image: Image; transfer: Transfer }>;
  /**
   * Examines the received data and makes it the image's data, unless the image was deleted or has another transfer by
   * now.
   */
  accept(image: Image, transfer: Transfer, data: ReceivedData): Promise<void>;
  /** Makes the image queued again, if it still exists and this is still its transfer. */
  giveUp(uuid: string, transfer: Transfer, importError: string | null): Promise<void>;
}

export function createImageIntake(
  deps: Pick<ImageServiceDeps, 'examine'>,
  records: ImageRecords,
  files: ImageFiles,
  transfers: RunningTransfers,
): ImageIntake {
  async function accept(image: Image, transfer: Transfer, data: ReceivedData): Promise<void> {
    try {
      const examined = await deps.examine(
        data.path,
        data.sizeBytes,
        image.diskFormat ?? 'raw',
        data.sha512,
        transfer.controller.signal,
      );
      if (!examined.ok)
        throw new IngotError(
          'unsupportedMedia',
          `The data was refused: ${examined.reason}. To try: correct disk_format, or send another file`,
        );
      await records.change(image.uuid, async () => {
        transfer.controller.signal.throwIfAborted();
        await files.keep(data, image.uuid);
        return {
          status: 'active',
          sizeBytes: data.sizeBytes,
          virtualSizeBytes: examined.virtualSize,
          checksum: data.md5,
          osHashAlgo: 'sha512',
          osHashValue: data.sha512,
          importUrl: null,
          importError: null,
        };
      });
    } finally {
      await files.drop(data);
    }
  }

  async function giveUp(uuid: string, transfer: Transfer, importError: string | null): Promise<void> {
    if (!transfers.isCurrent(uuid, transfer)) return;
    await records.change(uuid, () => ({ status: 'queued', importUrl: null, importError }));
  }

  async function claim(
    uuid: string,
    tenant: Tenant,
    status: 'saving' | 'importing',
    importUrl: string | null,
  ): Promise<{ image: Image; transfer: Transfer }> {
    let transfer: Transfer | undefined;
    try {
      const image = await records.change(uuid, (found) => {
        if (!canSee(tenant, found)) throw missingImage(uuid);
        checkMayChange(tenant, found);
        checkReady(found, status);
        transfer = transfers.begin(uuid);
        return { status, importUrl, importError: null };
      });
      return { image, transfer: transfer! };
    } catch (error) {
      if (transfer !== undefined) transfers.finish(uuid, transfer);
      throw error;
    }
  }

  return { claim, accept, giveUp };
}

/** Throws conflict and invalidParameter. */
function checkReady({ uuid, status, diskFormat, containerFormat }: Image, to: string): void {
  if (status !== 'queued')
    throw new IngotError(
      'conflict',
      `Image status transition from ${status} to ${to} is not allowed: an image gets its data only once. Image ${uuid} is ${status}; create a new image for other data.`,
    );
  const missing = [
    ...(diskFormat === null ? ['disk_format'] : []),
    ...(containerFormat === null ? ['container_format'] : []),
  ];
  if (missing.length > 0)
    throw new IngotError(
      'invalidParameter',
      `Properties ${missing.join(', ')} must be set prior to saving data: set them in the image first.`,
    );
}
