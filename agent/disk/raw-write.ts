/**
 * Bytes onto a disk past any file system.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Covers partition tables and boot code, and what RAID, LVM and ZFS keep at either end. */
const ENDS_BYTES = 4 * 1024 * 1024;

/** One write may take less than it was given. */
export async function writeFully(handle: FileHandle, data: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await handle.write(data, done, data.length - done, offset + done);
    if (bytesWritten === 0) throw new Error(`the disk takes no more bytes at ${offset + done}`);
    done += bytesWritten;
  }
}

/** Zeros over both ends: what the disk held does not boot and is not found any more. */
export async function wipeEnds(device: string, deviceBytes: number): Promise<void> {
  const handle = await open(device, constants.O_WRONLY);
  try {
    const zeros = Buffer.alloc(Math.min(ENDS_BYTES, deviceBytes));
    await writeFully(handle, zeros, 0);
    await writeFully(handle, zeros, deviceBytes - zeros.length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
