/**
 * Uploads: image data that clients send.
 */
import type { Readable } from 'node:stream';
import { IngotError } from '../domain/errors.ts';
import type { Tenant } from '../identity/tenant.ts';
import type { ImageServiceSettings } from './deps.ts';
import type { ImageFiles } from './image-files.ts';
import type { ImageIntake } from './image-intake.ts';
import type { ImageQuota } from './image-quota.ts';
import type { RunningTransfers } from './running-transfers.ts';

/**
 * Resolves when everything is stored. `announcedBytes` is null when the length is not known. Throws when the image
 * can take no data or the data is rejected.
 */
export type ImageUpload = (
  uuid: string,
  tenant: Tenant,
  body: Readable,
  announcedBytes: number | null,
) => Promise<void>;

export function createImageUpload(
  { maxBytes, stallMs }: ImageServiceSettings,
  files: ImageFiles,
  quota: ImageQuota,
  transfers: RunningTransfers,
  intake: ImageIntake,
): ImageUpload {
  return async (uuid, tenant, body, announcedBytes) => {
    const { image, transfer } = await intake.claim(uuid, tenant, 'saving', null);
    try {
      const chunks = bodyChunks(body, transfer.controller.signal, stallMs);
      await quota.within(image.owner, announcedBytes, async (onBytes) => {
        const data = await files.receive(chunks, { maxBytes, announcedBytes, onBytes });
        await intake.accept(image, transfer, data);
      });
    } catch (error) {
      await intake.giveUp(uuid, transfer, null);
      throw error;
    } finally {
      transfers.finish(uuid, transfer);
    }
  };
}

/**
 * The chunks of a client's request. An error leaves the connection open, so that the client receives the answer; only
 * a pause that is too long and the shutdown of the conductor close it.
 */
async function* bodyChunks(body: Readable, signal: AbortSignal, stallMs: number): AsyncGenerator<Uint8Array> {
  const stalled = new IngotError(
    'uploadTimeout',
    `Nothing came for ${stallMs / 1000} s: the upload was aborted. Send the data again.`,
  );
  const silence = setTimeout(() => body.destroy(stalled), stallMs);
  const cut = (): void => void (signal.reason?.code === 'unavailable' && body.destroy(signal.reason));
  signal.addEventListener('abort', cut, { once: true });
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      signal.throwIfAborted();
      yield chunk as Uint8Array;
      silence.refresh();
    }
  } catch (error) {
    if (error instanceof IngotError) throw error;
    throw new IngotError('invalidParameter', 'The upload broke off: send the data again.', { cause: error });
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', cut);
  }
}
