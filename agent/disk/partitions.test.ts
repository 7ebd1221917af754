import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gptHead, mbrHead } from '../../test/fakes/agent/partition-table.ts';
import type { Run } from '../exec/run.ts';
import { moveBackupTable, partitionPath, readPartitions } from './partitions.ts';

function makeDisk(head: Buffer): string {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-partitions-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'disk');
  writeFileSync(path, head);
  return path;
}

/** Answers like blockdev, and records the other programs that were run. */
function sectorsOf(sectorBytes: number): { run: Run; programs: string[][] } {
  const programs: string[][] = [];
  const run: Run = async (program, args) => {
    if (program === 'blockdev' && args[0] === '--getss') return `${sectorBytes}\n`;
    programs.push([program, ...args]);
    return '';
  };
  return { run, programs };
}

describe('partitions', () => {
  it.each([512, 4096])('of a GPT with sectors of %i have place, size and name in bytes', async (sector) => {
    const root = { firstSector: 2048, sectors: 1000, name: 'root' };
    const disk = makeDisk(gptHead([root, { firstSector: 4096, sectors: 8, name: 'config-2' }], sector));
    const { kind, list } = await readPartitions(sectorsOf(sector).run, disk);
    expect(kind).toBe('gpt');
    expect(list).toMatchObject([
      { path: `${disk}1`, number: 1, start: 2048 * sector, bytes: 1000 * sector, name: 'root' },
      { path: `${disk}2`, number: 2, start: 4096 * sector, bytes: 8 * sector, name: 'config-2' },
    ]);
  });

  it('of an MBR have a type and no name', async () => {
    const disk = makeDisk(mbrHead([{ firstSector: 63, sectors: 10 }], 0xef));
    const { kind, list } = await readPartitions(sectorsOf(512).run, disk);
    expect(kind).toBe('mbr');
    expect(list).toMatchObject([{ number: 1, start: 63 * 512, bytes: 5120, type: '0xef', name: null }]);
  });

  it('are none on an empty disk, however small', async () => {
    expect(await readPartitions(sectorsOf(512).run, makeDisk(Buffer.alloc(100)))).toEqual({
      kind: undefined,
      list: [],
    });
  });

  it.each([
    ['/dev/sda', '/dev/sda1'],
    ['/dev/nvme0n1', '/dev/nvme0n1p1'],
    ['/dev/mmcblk0', '/dev/mmcblk0p1'],
  ])('of %s are called %s', (device, path) => {
    expect(partitionPath(device, 1)).toBe(path);
  });
});

it('moves the backup table of a GPT, and does nothing for other disks', async () => {
  const gpt = makeDisk(gptHead([{ firstSector: 2048, sectors: 1 }]));
  const { run, programs } = sectorsOf(512);
  await moveBackupTable(run, gpt);
  await moveBackupTable(run, makeDisk(mbrHead([{ firstSector: 2048, sectors: 1 }])));
  expect(programs).toEqual([['sgdisk', '-e', gpt]]);
});
