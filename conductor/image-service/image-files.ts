/**
 * The images' data on disk:
 *
 *   <dir>/<image uuid>   all of it: comes by one rename, after its bytes are on the disk itself
 *   <dir>/.part-*        on its way, or left over from a run that ended; swept at start
 *
 * A file counts when the image's record says so: the record is written after the rename and removed before the
 * file, so that whatever a power cut leaves has no record and is swept.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { IngotError } from '../domain/errors.ts';

/** So much of the disk is left to others: the store, the image cache. */
const RESERVE_BYTES = 256 * 1024 * 1024;
/** Free space is looked at again after so many bytes of unknown length. */
const LOOK_AGAIN_BYTES = 64 * 1024 * 1024;
const PART = '.part-';

export interface ReceivedData {
  /** Of the file, which is not the image's yet. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Hex digests of exactly the bytes stored. */
  readonly md5: string;
  readonly sha512: string;
}

export interface ReceiveLimits {
  readonly maxBytes: number;
  /** As the sender announced it; null when it did not. */
  readonly announcedBytes: number | null;
  readonly onBytes?: (sizeBytes: number) => void;
}

export interface ImageFiles {
  path(uuid: string): string;
  /** Bytes are taken no faster than the disk takes them. Throws tooLarge, and what the source throws; keeps nothing then. */
  receive(chunks: AsyncIterable<Uint8Array>, limits: ReceiveLimits): Promise<ReceivedData>;
  /** Makes what was received the data of this image. */
  keep(data: ReceivedData, uuid: string): Promise<void>;
  drop(data: ReceivedData): Promise<void>;
  /** Those who read it go on reading. */
  remove(uuid: string): Promise<void>;
  /** Removes everything but the data of these images; tells which of them have none. */
  sweep(kept: ReadonlySet<string>): Promise<string[]>;
}

export interface ImageFilesSettings {
  readonly dir: string;
  /** Free bytes of the disk that holds a directory; the file system's own when not given. */
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
        // The disk works while the digests are computed.
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
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw diskFull('it ran full meanwhile');
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
