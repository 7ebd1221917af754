/**
 * The disk an image is written to, opened for exclusive use.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeFully } from '../disk/raw-write.ts';

/** Data is flushed in portions of this size while writing continues. This keeps memory free and the last flush short. */
const FLUSH_BYTES = 128 * 1024 * 1024;

export interface Target {
  readonly write: (data: Buffer, offset: number) => Promise<void>;
  /** Returns when all data is on the disk. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** With O_EXCL the kernel refuses a disk that is mounted or part of a RAID. */
export async function openTarget(device: string): Promise<Target> {
  return targetOn(await openExclusive(device));
}

type TargetHandle = Pick<FileHandle, 'write' | 'datasync' | 'sync' | 'close'>;

/** The target behind an open device. */
export function targetOn(handle: TargetHandle, flushBytes = FLUSH_BYTES): Target {
  let unflushed = 0;
  let flush: Promise<unknown> = Promise.resolve();
  return {
    async write(data, offset) {
      await writeFully(handle, data, offset);
      unflushed += data.length;
      if (unflushed < flushBytes) return;
      unflushed = 0;
      const failure = await flush;
      if (failure !== undefined) throw failure;
      flush = handle.datasync().catch((error: unknown) => error);
    },
    async sync() {
      const failure = await flush;
      if (failure !== undefined) throw failure;
      await handle.sync();
    },
    async close() {
      await flush;
      await handle.close();
    },
  };
}

async function openExclusive(device: string): Promise<FileHandle> {
  try {
    return await open(device, constants.O_WRONLY | constants.O_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    throw new Error(
      `${device} is in use: it is mounted, or part of a RAID or of an LVM volume. Clean the node, or name another disk in properties.root_device`,
      { cause: error },
    );
  }
}
