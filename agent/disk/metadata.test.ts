import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeDisk } from '../../test/fakes/agent/disk.ts';
import type { Run } from '../exec/run.ts';
import type { Disk } from '../inventory/disks.ts';
import { eraseDisk, eraseMetadata } from './metadata.ts';

const MEBI = 1024 * 1024;

function diskOf(contents: Buffer, more: Partial<Disk> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-metadata-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const name = join(dir, 'disk');
  writeFileSync(name, contents);
  const programs: string[] = [];
  const run: Run = async (program, args) => {
    programs.push([program, ...args].join(' ').replaceAll(name, 'DISK'));
    return program === 'blockdev' ? '512' : '';
  };
  return { disk: fakeDisk({ name, size: contents.length, ...more }), run, programs };
}

describe('erasing a whole disk', () => {
  it('lets the device erase it and checks that it reads as zeros', async () => {
    const { disk, run, programs } = diskOf(Buffer.alloc(MEBI));
    await eraseDisk(run, disk);
    expect(programs).toEqual(['blkdiscard -z -f DISK']);
  });

  it.each([
    ['first', 0, 0],
    ['last of the first sample', 4095, 0],
    ['last', MEBI - 1, MEBI - 4096],
  ])('fails when the %s byte is left', async (_which, at, sample) => {
    const contents = Buffer.alloc(MEBI);
    contents[at] = 1;
    const { disk, run } = diskOf(contents);
    await expect(eraseDisk(run, disk)).rejects.toThrow(`still holds data at byte ${sample}:`);
  });

  it('samples the whole disk', async () => {
    // 64 samples of 4 KiB: every run of this length contains one.
    const contents = Buffer.alloc(MEBI);
    contents.fill(1, MEBI / 2, MEBI / 2 + MEBI / 32);
    const { disk, run } = diskOf(contents);
    await expect(eraseDisk(run, disk)).rejects.toThrow('still holds data at byte');
  });
});

describe('a read-only disk', () => {
  it('is rejected before any program runs', async () => {
    const { disk, run, programs } = diskOf(Buffer.alloc(MEBI, 1), { readOnly: true });
    await expect(eraseDisk(run, disk)).rejects.toThrow(`${disk.name} is read-only and cannot be erased`);
    await expect(eraseMetadata(run, disk)).rejects.toThrow('is read-only');
    expect(programs).toEqual([]);
    expect(readFileSync(disk.name).every((byte) => byte === 1)).toBe(true);
  });
});

it('erasing metadata removes the signatures of the disk, and makes the kernel read its table again', async () => {
  const { disk, run, programs } = diskOf(Buffer.alloc(MEBI, 1));
  await eraseMetadata(run, disk);
  expect(programs.filter((line) => !line.includes('--getss'))).toEqual([
    'wipefs -af DISK',
    'blockdev --rereadpt DISK',
  ]);
  expect(readFileSync(disk.name).every((byte) => byte === 0)).toBe(true);
});
