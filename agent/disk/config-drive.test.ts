/** On plain files, with fake programs; loop.protocol.test.ts has real disks. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gptHead, mbrHead } from '../../test/fakes/agent/partition-table.ts';
import type { Run } from '../exec/run.ts';
import { writeConfigDrive } from './config-drive.ts';

const MEBI = 1024 * 1024;
const DISK_BYTES = 16 * MEBI;
const DRIVE = Buffer.alloc(4096, 0xcd);
const ROOT = { firstSector: 2048, sectors: 4096, name: 'root' };
/** Offset of a drive of at most 1 MiB on this disk: before the last MiB, which the backup GPT needs. */
const PLACE = 14 * MEBI;

/** A disk with the partition table `before`. Programs that change the table write `after`. */
function diskWith(before: Buffer, after = before) {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-drive-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const device = join(dir, 'disk');
  const write = (head: Buffer) =>
    writeFileSync(device, Buffer.concat([head, Buffer.alloc(DISK_BYTES - head.length)]));
  write(before);
  const programs: string[] = [];
  const run: Run = async (program, args, options) => {
    if (program === 'blockdev') return args[0] === '--getss' ? '512\n' : `${DISK_BYTES}\n`;
    const line = [program, ...args.map((arg) => (arg === device ? 'DISK' : arg))].join(' ');
    programs.push(options?.input === undefined ? line : `${line} < ${options.input}`);
    if (args.includes('-n') || args.includes('--append')) write(after);
    return '';
  };
  const drive = (at: number) => readFileSync(device).subarray(at, at + DRIVE.length);
  return { device, run, programs, drive };
}

const added = { firstSector: PLACE / 512, sectors: 2048, name: 'config-2' };

describe('a config drive', () => {
  it('is added to a GPT at the end of the disk, after the backup table was moved there', async () => {
    const { device, run, programs, drive } = diskWith(gptHead([ROOT]), gptHead([ROOT, added]));
    await writeConfigDrive(run, device, DRIVE);
    expect(programs).toEqual([
      'sgdisk -e DISK',
      `sgdisk -n 0:${PLACE / 512}:${PLACE / 512 + 2047} -t 0:8300 -c 0:config-2 DISK`,
    ]);
    expect(drive(PLACE).equals(DRIVE)).toBe(true);
  });

  it('is added to an MBR', async () => {
    const { device, run, programs, drive } = diskWith(mbrHead([ROOT]), mbrHead([ROOT, added]));
    await writeConfigDrive(run, device, DRIVE);
    expect(programs).toEqual([
      `sfdisk --append --no-reread -q DISK < start=${PLACE / 512},size=2048,type=83\n`,
    ]);
    expect(drive(PLACE).equals(DRIVE)).toBe(true);
  });

  it('fails when the table does not contain the partition that was added', async () => {
    const { device, run } = diskWith(gptHead([ROOT]));
    await expect(writeConfigDrive(run, device, DRIVE)).rejects.toThrow(
      `was added to ${device} at byte ${PLACE}, but the partition table does not contain it`,
    );
  });

  it('is written to the partition of the image with its name', async () => {
    const own = { firstSector: 8192, sectors: 8, name: 'config-2' };
    const { device, run, programs, drive } = diskWith(gptHead([ROOT, own]));
    await writeConfigDrive(run, device, DRIVE);
    expect(programs).toEqual([]);
    expect(drive(8192 * 512).equals(DRIVE)).toBe(true);
    await expect(writeConfigDrive(run, device, Buffer.alloc(4097))).rejects.toThrow(
      /the configdrive is 4097 bytes .*, but the image's own config-2 partition only 4096 bytes/,
    );
  });

  it('is written to the partition whose file system has its label', async () => {
    const head = mbrHead([ROOT, { firstSector: 128, sectors: 128 }]);
    head.write('CD001', 128 * 512 + 0x8001, 'latin1');
    head.write('CONFIG-2'.padEnd(32), 128 * 512 + 0x8028, 'latin1');
    const { device, run, programs, drive } = diskWith(head);
    await writeConfigDrive(run, device, DRIVE);
    expect(programs).toEqual([]);
    expect(drive(128 * 512).equals(DRIVE)).toBe(true);
  });
});
