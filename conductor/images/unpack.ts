/**
 * Writes the disk in a qcow2 image as a raw file. Zeros become holes. Runs in a worker thread (image-worker.ts): reads
 * and writes wait for the disk.
 */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { BadQcow2 } from '@ingot/shared/codec/qcow2/bad-qcow2.ts';
import { openQcow2, qcow2Data } from '@ingot/shared/codec/qcow2/reader.ts';
import { withFile } from './image-file.ts';
import { RefusedImage } from './refused-image.ts';

const ZEROS = Buffer.alloc(2 * 1024 * 1024);
/** Holes of the raw file; a smaller one does not save a block of the file system. */
const HOLE_BYTES = 64 * 1024;

/** Writes no more than `maxBytes`. Throws RefusedImage. */
export async function unpackQcow2(qcow2: string, raw: string, maxBytes: number): Promise<void> {
  const target = openSync(raw, 'w', 0o600);
  try {
    await withFile(qcow2, async (file) => {
      const header = await openQcow2(file, maxBytes);
      ftruncateSync(target, header.virtualSize);
      for await (const { at, data } of qcow2Data(file, header)) writeData(target, at, data);
    });
  } catch (error) {
    throw error instanceof BadQcow2 ? new RefusedImage(error.message) : error;
  } finally {
    closeSync(target);
  }
}

/** Writes what is between the holes. */
function writeData(target: number, at: number, data: Uint8Array): void {
  let begin = 0;
  for (let from = 0; from < data.length; from += HOLE_BYTES) {
    const end = Math.min(from + HOLE_BYTES, data.length);
    if (!isZero(data.subarray(from, end))) continue;
    writeAll(target, at + begin, data.subarray(begin, from));
    begin = end;
  }
  writeAll(target, at + begin, data.subarray(begin));
}

const isZero = (data: Uint8Array): boolean => ZEROS.compare(data, 0, data.length, 0, data.length) === 0;

function writeAll(target: number, at: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; )
    done += writeSync(target, data, done, data.length - done, at + done);
}
