import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { wipeEnds, writeFully } from './raw-write.ts';

const MEBI = 1024 * 1024;

/** A disk of 16 bytes that accepts so many bytes in each call. */
function slowDisk(...portions: number[]) {
  const disk = Buffer.alloc(16, '.');
  const write = (async (data: Buffer, from: number, length: number, at: number) => {
    const bytesWritten = Math.min(length, portions.shift() ?? length);
    data.copy(disk, at, from, from + bytesWritten);
    return { bytesWritten, buffer: data };
  }) as FileHandle['write'];
  return { disk, handle: { write } };
}

describe('writing fully', () => {
  it('repeats with the rest as long as the disk accepts a part', async () => {
    const { disk, handle } = slowDisk(1, 3, 2);
    await writeFully(handle, Buffer.from('abcdefgh'), 4);
    expect(disk.toString()).toBe('....abcdefgh....');
  });

  it('fails when the disk accepts nothing any more', async () => {
    const { handle } = slowDisk(3, 0);
    await expect(writeFully(handle, Buffer.from('abcdef'), 4)).rejects.toThrow('no more bytes at 7');
  });
});

describe('wiping the ends of a disk', () => {
  it.each([
    [3 * MEBI, 0],
    [8 * MEBI, 0],
    [9 * MEBI + 512, MEBI + 512],
  ])('of %i bytes leaves %i between', async (bytes, left) => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-wipe-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const disk = join(dir, 'disk');
    writeFileSync(disk, Buffer.alloc(bytes, 0xdd));
    await wipeEnds(disk, bytes);
    const after = readFileSync(disk);
    const first = after.indexOf(0xdd);
    expect(after.length).toBe(bytes);
    expect(left === 0 ? first : [first, after.lastIndexOf(0xdd) + 1]).toEqual(
      left === 0 ? -1 : [4 * MEBI, 4 * MEBI + left],
    );
  });
});
