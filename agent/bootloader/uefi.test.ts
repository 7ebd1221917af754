import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../exec/run.ts';
import { knownLoaders } from './loader.ts';
import { installUefiEntry } from './uefi.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-uefi-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A disk with one MBR partition of this type. */
function disk(type: number): string {
  const sector = Buffer.alloc(512 * 64);
  sector[450] = type;
  sector.writeUInt32LE(8, 454);
  sector.writeUInt32LE(8, 458);
  sector.writeUInt16LE(0xaa55, 510);
  const path = join(directory, `disk${type}`);
  writeFileSync(path, sector);
  return path;
}

let ran: string[];
let mountPoint: string;
let failing: string;
beforeEach(() => {
  ran = [];
  failing = '';
});

/** Programs on a machine whose EFI system partition holds these files. A failing umount leaves it mounted. */
const machine =
  (files: readonly string[]): Run =>
  async (program, args) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (program === 'blockdev') return '512';
    if (program === 'efibootmgr') ran.push([program, ...args].join(' '));
    else ran.push(program);
    if (program === failing) throw new Error(`${program} failed`);
    if (program === 'mount') {
      mountPoint = args.at(-1)!;
      for (const file of files) {
        await mkdir(join(mountPoint, file, '..'), { recursive: true });
        await writeFile(join(mountPoint, file), '');
      }
    }
    if (program === 'umount') await rm(join(args[0]!, 'EFI'), { recursive: true, force: true });
    if (program !== 'efibootmgr') return '';
    const created = ran.some((line) => line.includes(' -c '));
    return created ? 'BootOrder: 0001\nBoot0001* debian\tHD(1,MBR)/File(x)\n' : 'BootCurrent: 0000\n';
  };

const LOADER = knownLoaders()[0]!;
const ESP = 0xef;

describe('a boot entry', () => {
  it('is set for the loader in the EFI system partition, when that is unmounted again', async () => {
    const loader = await installUefiEntry(machine([`EFI/debian/${LOADER}`]), disk(ESP));
    expect(loader.path.toLowerCase()).toContain('debian');
    expect(ran.slice(0, 2)).toEqual(['mount', 'umount']);
    const created = ran.filter((line) => line.startsWith('efibootmgr') && line.includes(disk(ESP)));
    expect(created).toEqual([expect.stringContaining(`\\EFI\\debian\\${LOADER}`)]);
    expect(ran.at(-1)).toBe('efibootmgr -v');
    expect(existsSync(mountPoint)).toBe(false);
  });

  it('needs an EFI system partition', async () => {
    const failed = installUefiEntry(machine([]), disk(0x83));
    await expect(failed).rejects.toThrow('has no EFI system partition: the image does not boot on UEFI');
    expect(ran).toEqual([]);
  });

  it('needs a loader for this machine', async () => {
    const failed = installUefiEntry(machine(['EFI/debian/readme.txt']), disk(ESP));
    await expect(failed).rejects.toThrow('contains no boot loader for this machine');
    expect([ran, existsSync(mountPoint)]).toEqual([['mount', 'umount'], false]);
  });

  it('is not set, and nothing is left mounted, when the partition cannot be read', async () => {
    failing = 'mount';
    await expect(installUefiEntry(machine([]), disk(ESP))).rejects.toThrow('mount failed');
    expect(ran).toEqual(['mount']);
  });

  it('fails when it cannot be stored', async () => {
    failing = 'efibootmgr';
    const failed = installUefiEntry(machine([`EFI/debian/${LOADER}`]), disk(ESP));
    await expect(failed).rejects.toThrow('efibootmgr failed');
  });
});
