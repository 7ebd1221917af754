/** Reads image files in a worker thread, where it may wait for the disk: a read costs a fiftieth of an asynchronous one. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface ImageFile {
  readonly bytes: number;
  /** Returns fewer bytes only at the end of the file. */
  read(at: number, length: number): Buffer;
}

export async function withFile<T>(path: string, work: (file: ImageFile) => Promise<T>): Promise<T> {
  const descriptor = openSync(path, 'r');
  try {
    return await work({
      bytes: fstatSync(descriptor).size,
      read(at, length) {
        const buffer = Buffer.allocUnsafe(length);
        return buffer.subarray(0, readSync(descriptor, buffer, 0, length, at));
      },
    });
  } finally {
    closeSync(descriptor);
  }
}
