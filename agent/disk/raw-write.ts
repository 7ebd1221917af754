/**
 * Writes to a disk directly, without a file system.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Covers partition tables, boot code and the metadata of RAID, LVM and ZFS at both ends. */
const ENDS_BYTES = 4 * 1024 * 1024;

/** Repeats the write, since one call may write only a part. */
export async function writeFully(
  handle: Pick<FileHandle, 'write'>,
  data: Buffer,
  offset: number,
): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await handle.write(data, done, data.length - done, offset + done);
    if (bytesWritten === 0) throw new Error(`the disk accepts no more bytes at ${offset + done}`);
    done += bytesWritten;
  }
}

/** Writes zeros to both ends, so that the old content neither boots nor is detected. */
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
