/**
 * The disk an image is written to, while it is ours alone.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeFully } from '../disk/raw-write.ts';

/** Dirty pages are flushed in such portions behind the writes: memory stays free and the last flush short. */
const FLUSH_BYTES = 128 * 1024 * 1024;

export interface Target {
  readonly write: (data: Buffer, offset: number) => Promise<void>;
  /** Returns when everything lies on the disk. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Exclusive: the kernel refuses a disk that is mounted or part of a RAID. */
export async function openTarget(device: string): Promise<Target> {
  const handle = await openExclusive(device);
  let unflushed = 0;
  let flush: Promise<unknown> = Promise.resolve();
  return {
    async write(data, offset) {
      await writeFully(handle, data, offset);
      unflushed += data.length;
      if (unflushed < FLUSH_BYTES) return;
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
