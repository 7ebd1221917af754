/**
 * The data of images on disk:
 *
 *   <dir>/<image uuid>   complete data: renamed to this name after its bytes were flushed to the disk
 *   <dir>/.part-*        data being received, or leftovers of an earlier run, which are removed at start
 *
 * The image's record decides whether a file is valid. The record is written after the rename and removed before the
 * file, so a file that a power failure leaves behind has no record and is removed at start.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { IngotError } from '../domain/errors.ts';

/** This much of the disk stays free for the store and the image cache. */
const RESERVE_BYTES = 256 * 1024 * 1024;
/** Free space is checked again after this many bytes of data of unknown length. */
const LOOK_AGAIN_BYTES = 64 * 1024 * 1024;
const PART = '.part-';

export interface ReceivedData {
  /** A temporary file, which does not belong to the image yet. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Hex digests of the stored bytes. */
  readonly md5: string;
  readonly sha512: string;
}

export interface ReceiveLimits {
  readonly maxBytes: number;
  /** Content-Length; null when the sender did not announce it. */
  readonly announcedBytes: number | null;
  readonly onBytes?: (sizeBytes: number) => void;
}

export interface ImageFiles {
  path(uuid: string): string;
  /** Reads no faster than the disk writes. Throws tooLarge and the errors of the source, and then keeps nothing. */
  receive(chunks: AsyncIterable<Uint8Array>, limits: ReceiveLimits): Promise<ReceivedData>;
  /** Makes the received data the data of this image. */
  keep(data: ReceivedData, uuid: string): Promise<void>;
  drop(data: ReceivedData): Promise<void>;
  /** Running reads of the file continue. */
  remove(uuid: string): Promise<void>;
  /** Removes everything but the data of these images. Returns those of them that have no data. */
  sweep(kept: ReadonlySet<string>): Promise<string[]>;
}

export interface ImageFilesSettings {
  readonly dir: string;
  /** Free bytes of the file system that holds a directory. Default: statfs. */
  readonly freeBytes?: (dir: string) => Promise<number>;
}

async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

export function openImageFiles({ dir, freeBytes = freeBytesOf }: ImageFilesSettings): ImageFiles {
  const path = (uuid: string): string => join(dir, uuid);
  const remove = (file: string): Promise<void> => rm(file, { force: true, recursive: true });

  async function checkSpace(neededBytes: number): Promise<void> {
    const free = Math.max(0, (await freeBytes(dir)) - RESERVE_BYTES);
    if (neededBytes <= free) return;
    throw diskFull(`it needs ${neededBytes} bytes and ${free} are free for images`);
  }

  async function receive(chunks: AsyncIterable<Uint8Array>, limits: ReceiveLimits): Promise<ReceivedData> {
    const { maxBytes, announcedBytes, onBytes } = limits;
    if ((announcedBytes ?? 0) > maxBytes) throw tooLarge(announcedBytes ?? 0, maxBytes);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await checkSpace(announcedBytes ?? 0);
    const part = join(dir, `${PART}${randomUUID()}`);
    const handle = await open(part, 'wx', 0o600);
    const [md5, sha512] = [createHash('md5'), createHash('sha512')];
    let sizeBytes = 0;
    let lookedAt = 0;
    try {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw tooLarge(sizeBytes, maxBytes);
        if (announcedBytes === null && sizeBytes - lookedAt > LOOK_AGAIN_BYTES) {
          await checkSpace(LOOK_AGAIN_BYTES);
          lookedAt = sizeBytes;
        }
        // Write and hash in parallel.
        const written = handle.writeFile(chunk);
        md5.update(chunk);
        sha512.update(chunk);
        await written;
        onBytes?.(sizeBytes);
      }
      if (announcedBytes !== null && sizeBytes !== announcedBytes)
        throw new IngotError(
          'invalidParameter',
          `The data ended after ${sizeBytes} of ${announcedBytes} bytes: send it again.`,
        );
      await handle.sync();
    } catch (error) {
      await handle.close();
      await remove(part);
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
        throw diskFull('it became full during the transfer');
      throw error;
    }
    await handle.close();
    return { path: part, sizeBytes, md5: md5.digest('hex'), sha512: sha512.digest('hex') };
  }

  return {
    path,
    receive,
    async keep(data, uuid) {
      await rename(data.path, path(uuid));
      const directory = await open(dir, 'r');
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    },
    drop: (data) => remove(data.path),
    remove: (uuid) => remove(path(uuid)),
    async sweep(kept) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const names = await readdir(dir);
      const ours = names.filter((name) => name.startsWith(PART) || isUuid(name));
      for (const name of ours) if (!kept.has(name)) await remove(join(dir, name));
      return [...kept].filter((uuid) => !names.includes(uuid));
    },
  };
}

const tooLarge = (sizeBytes: number, maxBytes: number): IngotError =>
  new IngotError(
    'tooLarge',
    `The data is ${sizeBytes} bytes or more, and an image may have ${maxBytes}. To try: a compressed qcow2 image, or raise the limit of the image service`,
  );

const diskFull = (what: string): IngotError =>
  new IngotError(
    'tooLarge',
    `The conductor's disk has no room for this image: ${what}. To try: delete images that are not needed, or give its data_dir more space`,
  );
