/**
 * How images get their data: uploads by their owners, and imports that the conductor fetches itself.
 *
 * The record says `saving` or `importing` before the first byte is taken, and `active` when all of them are on the
 * disk and were looked at. What does not come so far leaves the image queued, so that it can be tried again.
 */
import type { Readable } from 'node:stream';
import type { Image } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Tenant } from '../identity/tenant.ts';
import type { ImageServiceDeps } from './deps.ts';
import { canSee, checkMayChange, missingImage } from './image-access.ts';
import type { ImageFiles, ReceivedData } from './image-files.ts';
import type { ImageRecords } from './image-records.ts';
import { importGuard, parseImportUrl } from './import-guard.ts';

export interface ImageTransfers {
  /** Until all is stored. `announcedBytes` is null when the length is not known. Throws what is in the way. */
  upload(uuid: string, tenant: Tenant, body: Readable, announcedBytes: number | null): Promise<void>;
  /** Begins it; how it ends is seen in the image. */
  startImport(uuid: string, tenant: Tenant, url: string): Promise<void>;
  /** Ends what this image still takes in: it is being deleted. */
  cancel(uuid: string): void;
  /** At start: imports begin anew, cut uploads can be tried again, leftovers go. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

interface Transfer {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

const IMPORT_LANES = 4;
const shuttingDown = (): IngotError =>
  new IngotError('unavailable', 'The conductor is shutting down: send the data again when it is back.');

export function createImageTransfers(
  deps: ImageServiceDeps,
  records: ImageRecords,
  files: ImageFiles,
): ImageTransfers {
  const { settings, logger } = deps;
  const { maxBytes, stallMs } = settings;
  /** At most one per image. */
  const running = new Map<string, Transfer>();
  /** Imports of one lane follow each other. */
  const lanes: Promise<void>[] = [];
  let nextLane = 0;
  let isStopping = false;

  function begin(uuid: string): Transfer {
    if (isStopping) throw shuttingDown();
    if (running.has(uuid)) throw busy(uuid);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const transfer = { controller: new AbortController(), ended, end };
    running.set(uuid, transfer);
    return transfer;
  }

  function finish(uuid: string, transfer: Transfer): void {
    if (running.get(uuid) === transfer) running.delete(uuid);
    transfer.end();
  }

  /** Looks at what has come, and makes it the image's unless the image is gone or another's by now. */
  async function accept(image: Image, transfer: Transfer, data: ReceivedData): Promise<void> {
    try {
      const examined = await deps.examine(data.path, data.sizeBytes, image.diskFormat ?? 'raw');
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

  /** Queued again, if the image is still there and this is still its transfer. */
  async function giveUp(uuid: string, transfer: Transfer, importError: string | null): Promise<void> {
    if (running.get(uuid) !== transfer) return;
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
        transfer = begin(uuid);
        return { status, importUrl, importError: null };
      });
      return { image, transfer: transfer! };
    } catch (error) {
      if (transfer !== undefined) finish(uuid, transfer);
      throw error;
    }
  }

  async function fetch(image: Image, transfer: Transfer, url: string): Promise<void> {
    const { uuid } = image;
    const { importLimitMs } = settings;
    const deadline = AbortSignal.timeout(importLimitMs);
    const signal = AbortSignal.any([transfer.controller.signal, deadline]);
    try {
      const source = await deps.fetch(url, { stallMs, signal, guard: importGuard(settings) });
      try {
        const limits = { maxBytes, announcedBytes: source.length };
        await accept(image, transfer, await files.receive(until(signal, source.chunks), limits));
      } finally {
        await source.close();
      }
      logger.info({ image: uuid }, 'image imported');
    } catch (error) {
      // Begun anew at the next start: the record says what from.
      if (isStopping) return;
      const reason = deadline.aborted ? `it was not fetched within ${importLimitMs / 1000} s` : textOf(error);
      logger.warn({ image: uuid, err: error }, 'image import failed');
      await giveUp(uuid, transfer, `The import failed: ${reason}`);
    }
  }

  /** Owns itself: all errors end in the image or the log. */
  function runImport(image: Image, transfer: Transfer, url: string): void {
    const lane = nextLane;
    nextLane = (nextLane + 1) % IMPORT_LANES;
    lanes[lane] = (lanes[lane] ?? Promise.resolve())
      .then(() => fetch(image, transfer, url))
      .catch((error: unknown) => logger.error({ image: image.uuid, err: error }, 'image import was lost'))
      .finally(() => finish(image.uuid, transfer));
  }

  return {
    async upload(uuid, tenant, body, announcedBytes) {
      const { image, transfer } = await claim(uuid, tenant, 'saving', null);
      const { signal } = transfer.controller;
      try {
        const chunks = bodyChunks(body, signal, stallMs);
        await accept(image, transfer, await files.receive(chunks, { maxBytes, announcedBytes }));
      } catch (error) {
        await giveUp(uuid, transfer, null);
        throw error;
      } finally {
        finish(uuid, transfer);
      }
    },

    async startImport(uuid, tenant, url) {
      parseImportUrl(url, settings);
      const { image, transfer } = await claim(uuid, tenant, 'importing', url);
      runImport(image, transfer, url);
    },

    cancel(uuid) {
      const transfer = running.get(uuid);
      running.delete(uuid);
      transfer?.controller.abort(missingImage(uuid));
    },

    async recover() {
      const all = await records.all();
      const withData = all.filter(({ status }) => status === 'active' || status === 'deactivated');
      for (const uuid of await files.sweep(new Set(withData.map((image) => image.uuid))))
        logger.error({ image: uuid, path: files.path(uuid) }, 'the data of an image is not there');
      for (const { uuid, status } of all)
        if (status === 'saving') await records.change(uuid, () => ({ status: 'queued' }));
      for (const image of all)
        if (image.status === 'importing' && image.importUrl !== null)
          runImport(image, begin(image.uuid), image.importUrl);
    },

    async stop() {
      isStopping = true;
      const left = [...running.values()];
      for (const { controller } of left) controller.abort(shuttingDown());
      await Promise.all([...left.map(({ ended }) => ended), ...lanes]);
    },
  };
}

const textOf = (error: unknown): string =>
  error instanceof IngotError ? error.message : 'an internal error; the log of the conductor has the details';

const busy = (uuid: string): IngotError =>
  new IngotError('conflict', `Image ${uuid} is being given its data already: wait until that has ended.`);

/** Throws conflict and invalidParameter. */
function checkReady({ uuid, status, diskFormat, containerFormat }: Image, to: string): void {
  if (status !== 'queued')
    throw new IngotError(
      'conflict',
      `Image status transition from ${status} to ${to} is not allowed: the data of an image is given once. Image ${uuid} is ${status}; make a new image for other data.`,
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

async function* until(signal: AbortSignal, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/**
 * What a client sends. The connection outlives a refusal, so that the answer gets through; only silence and the
 * end of the conductor cut it.
 */
async function* bodyChunks(body: Readable, signal: AbortSignal, stallMs: number): AsyncGenerator<Uint8Array> {
  const stalled = new IngotError(
    'uploadTimeout',
    `Nothing came for ${stallMs / 1000} s: the upload was given up. Send the data again.`,
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
