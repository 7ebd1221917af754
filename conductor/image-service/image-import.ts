/**
 * Imports: image data that the conductor fetches itself, at most four at a time.
 */
import type { Image } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { ImageServiceDeps } from './deps.ts';
import type { ImageFiles } from './image-files.ts';
import type { ImageIntake } from './image-intake.ts';
import type { ImageQuota } from './image-quota.ts';
import { checkImportUrl } from './import-url.ts';
import type { RunningTransfers, Transfer } from './running-transfers.ts';

export interface ImageImports {
  /** Queues the import. Its result is stored in the image; failures are also logged. */
  run(image: Image, transfer: Transfer, url: string): void;
  /** Resolves when the imports begun so far have ended. */
  ended(): Promise<void>;
}

const IMPORT_LANES = 4;

export function createImageImports(
  deps: Pick<ImageServiceDeps, 'settings' | 'fetch' | 'logger'>,
  files: ImageFiles,
  quota: ImageQuota,
  transfers: RunningTransfers,
  intake: ImageIntake,
): ImageImports {
  const { settings, logger } = deps;
  const { maxBytes, stallMs, importLimitMs } = settings;
  /** Imports of one lane run one after the other. */
  const lanes: Promise<void>[] = [];
  let nextLane = 0;

  async function fetch(image: Image, transfer: Transfer, url: string): Promise<void> {
    const { uuid } = image;
    const deadline = AbortSignal.timeout(importLimitMs);
    const signal = AbortSignal.any([transfer.controller.signal, deadline]);
    try {
      const checkUrl = (at: URL): void => checkImportUrl(at, settings);
      const source = await deps.fetch(url, { stallMs, signal, checkUrl });
      try {
        const { chunks, length: announcedBytes } = source;
        await quota.within(image.owner, announcedBytes, async (onBytes) => {
          const data = await files.receive(until(signal, chunks), { maxBytes, announcedBytes, onBytes });
          await intake.accept(image, transfer, data);
        });
      } finally {
        await source.close();
      }
      logger.info({ image: uuid }, 'image imported');
    } catch (error) {
      // The next start repeats the import from the URL in the record.
      if (transfers.isStopping()) return;
      const reason = deadline.aborted ? `it was not fetched within ${importLimitMs / 1000} s` : textOf(error);
      logger.warn({ image: uuid, err: error }, 'image import failed');
      await intake.giveUp(uuid, transfer, `The import failed: ${reason}`);
    }
  }

  return {
    run(image, transfer, url) {
      const lane = nextLane;
      nextLane = (nextLane + 1) % IMPORT_LANES;
      lanes[lane] = (lanes[lane] ?? Promise.resolve())
        .then(() => fetch(image, transfer, url))
        .catch((error: unknown) => logger.error({ image: image.uuid, err: error }, 'image import was lost'))
        .finally(() => transfers.finish(image.uuid, transfer));
    },

    async ended() {
      await Promise.all(lanes);
    },
  };
}

const textOf = (error: unknown): string =>
  error instanceof IngotError ? error.message : 'an internal error; the log of the conductor has the details';

async function* until(signal: AbortSignal, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}
