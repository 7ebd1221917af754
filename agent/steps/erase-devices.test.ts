import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeContext } from '../../test/fakes/agent/command-context.ts';
import { fakeDisk } from '../../test/fakes/agent/disk.ts';
import type { Run } from '../exec/run.ts';
import type { Disk } from '../inventory/disks.ts';
import { eraseDevices, eraseDevicesMetadata } from './erase-devices.ts';

const MEBI = 1024 * 1024;
const BYTES = 9 * MEBI;

/** Plain files full of 0xdd. */
function makeDisks(...names: readonly string[]): Disk[] {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-erase-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return names.map((name) => {
    const path = join(dir, name);
    writeFileSync(path, Buffer.alloc(BYTES, 0xdd));
    return fakeDisk({ name: path, size: BYTES, serial: name });
  });
}

/** The effect of the programs on plain files: blkdiscard writes zeros, others do nothing. */
const erasing: Run = async (program, args) => {
  if (program === 'blockdev' && args[0] === '--getss') return '512';
  if (program === 'blkdiscard') writeFileSync(args.at(-1) ?? '', Buffer.alloc(BYTES));
  return '';
};

const bytesOf = (disk: Disk): Buffer => readFileSync(disk.name);
const untouched = (disk: Disk): boolean => bytesOf(disk).equals(Buffer.alloc(BYTES, 0xdd));

describe('erase_devices_metadata', () => {
  it('zeroes both ends of every disk and nothing between', async () => {
    const disks = makeDisks('a', 'b');
    expect(await eraseDevicesMetadata(fakeContext({ run: erasing, disks }))).toEqual({
      [disks[0]!.name]: { serial: 'a', wwn: disks[0]!.wwn },
      [disks[1]!.name]: { serial: 'b', wwn: disks[1]!.wwn },
    });
    const [end, middle] = [Buffer.alloc(4 * MEBI), Buffer.alloc(MEBI, 0xdd)];
    for (const disk of disks) expect(bytesOf(disk).equals(Buffer.concat([end, middle, end]))).toBe(true);
  });

  it('does not change disks in the skip list, and read-only ones', async () => {
    const [own, skipped, fixed] = makeDisks('own', 'skipped', 'fixed') as [Disk, Disk, Disk];
    const context = fakeContext({
      run: erasing,
      disks: [own, skipped, { ...fixed, readOnly: true }],
      node: { properties: { skip_block_devices: [{ serial: 'skipped' }] } },
    });
    expect(Object.keys(await eraseDevicesMetadata(context))).toEqual([own.name]);
    expect([own, skipped, fixed].map(untouched)).toEqual([false, true, true]);
    const log = context.hardware.log.lines().join('\n');
    expect(log).toContain(`${skipped.name} is skipped (properties.skip_block_devices)`);
    expect(log).toContain(`${fixed.name} is read-only: its metadata is not erased`);
  });

  it('changes nothing when the skip list is invalid', async () => {
    const disks = makeDisks('a');
    const node = { properties: { skip_block_devices: [{ colour: 'red' }] } };
    const work = eraseDevicesMetadata(fakeContext({ run: erasing, disks, node }));
    await expect(work).rejects.toThrow('properties.skip_block_devices: hint "colour" is not known');
    expect(disks.every(untouched)).toBe(true);
  });

  it('continues after a disk that fails, and reports it', async () => {
    const [broken, good] = makeDisks('broken', 'good') as [Disk, Disk];
    const run: Run = async (program, args) => {
      if (program === 'wipefs' && args.includes(broken.name)) throw new Error('wipefs: input/output error');
      return erasing(program, args);
    };
    await expect(eraseDevicesMetadata(fakeContext({ run, disks: [broken, good] }))).rejects.toThrow(
      `erase_devices_metadata failed on 1 of 2 disks: ${broken.name} (serial broken): wipefs: input/output error. Replace these disks`,
    );
    expect(untouched(good)).toBe(false);
  });
});

describe('erase_devices', () => {
  it('leaves zeros everywhere', async () => {
    const disks = makeDisks('a', 'b');
    const report = await eraseDevices(fakeContext({ run: erasing, disks }));
    expect(Object.keys(report)).toEqual(disks.map(({ name }) => name));
    for (const disk of disks) expect(bytesOf(disk).equals(Buffer.alloc(BYTES))).toBe(true);
  });

  it('detects a disk that reports success without erasing', async () => {
    const disks = makeDisks('liar');
    const run: Run = async (program, args) => (program === 'blkdiscard' ? '' : erasing(program, args));
    await expect(eraseDevices(fakeContext({ run, disks }))).rejects.toThrow(
      /was erased but still holds data at byte 0: do not let anybody else use this disk/,
    );
  });

  it('fails on a read-only disk, after it erased the others', async () => {
    const [fixed, good] = makeDisks('fixed', 'good') as [Disk, Disk];
    const disks = [{ ...fixed, readOnly: true }, good];
    await expect(eraseDevices(fakeContext({ run: erasing, disks }))).rejects.toThrow(
      /failed on 1 of 2 disks: .*fixed.* is read-only and cannot be erased/,
    );
    expect([fixed, good].map(untouched)).toEqual([true, false]);
  });
});
