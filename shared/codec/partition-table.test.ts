/** Partition tables that the test builds. agent/disk/loop.protocol.test.ts has tables of sgdisk and sfdisk. */

import { describe, expect, it } from 'vitest';
import { gptHead, mbrHead } from '../../test/fakes/agent/partition-table.ts';
import { fc } from '../../test/random-cases.ts';
import { decodeDiskLayout } from './image-layout.ts';
import { decodePartitionTable } from './partition-table.ts';

const ROOT = { firstSector: 2048, sectors: 4096, name: 'root' };

describe('an MBR', () => {
  it('lists its partitions with the disk id and their place', () => {
    const head = mbrHead([ROOT, { firstSector: 8192, sectors: 1 }]);
    head.writeUInt32LE(0x00c0ffee, 440);
    expect(decodePartitionTable(head, 512)).toEqual({
      kind: 'mbr',
      partitions: [
        { number: 1, type: '0x83', name: null, uuid: '00c0ffee-01', firstSector: 2048, sectors: 4096 },
        { number: 2, type: '0x83', name: null, uuid: '00c0ffee-02', firstSector: 8192, sectors: 1 },
      ],
    });
  });

  it('leaves out entries without a type or without sectors, and keeps the numbers of the others', () => {
    const head = mbrHead([ROOT, { firstSector: 9, sectors: 0 }, ROOT]);
    head[446 + 4] = 0;
    expect(decodePartitionTable(head, 512)?.partitions.map(({ number }) => number)).toEqual([3]);
  });

  it('needs its signature and a whole sector', () => {
    const head = mbrHead([ROOT]);
    expect(decodePartitionTable(head.subarray(0, 511), 512)).toBeUndefined();
    expect(decodePartitionTable(head.subarray(0, 512), 512)?.partitions).toHaveLength(1);
    head[510] = 0;
    expect(decodePartitionTable(head, 512)).toBeUndefined();
  });
});

describe('a GPT', () => {
  it.each([512, 4096])('is read with sectors of %i bytes', (sectorBytes) => {
    expect(decodePartitionTable(gptHead([ROOT], sectorBytes), sectorBytes)).toEqual({
      kind: 'gpt',
      partitions: [
        {
          number: 1,
          type: '0fc63daf-8483-4772-8e79-3d69d8477de4',
          name: 'root',
          uuid: '01010101-0101-0101-0101-010101010101',
          firstSector: 2048,
          sectors: 4096,
        },
      ],
    });
    expect(decodePartitionTable(gptHead([ROOT], sectorBytes), 4608 - sectorBytes)).toBeUndefined();
  });

  it('is found with the protective entry at any place in the MBR', () => {
    const head = gptHead([ROOT]);
    head[446 + 4] = 0;
    head[446 + 16 + 4] = 0xee;
    expect(decodePartitionTable(head, 512)?.kind).toBe('gpt');
  });

  it.each([
    ['a truncated header', (head: Buffer) => head.subarray(0, 512 + 91)],
    ['truncated entries', (head: Buffer) => head.subarray(0, 1024 + 128 * 128 - 1)],
    ['another signature', (head: Buffer) => head.fill(0, 512, 520)],
    ['entries that are too short', (head: Buffer) => head.fill(127, 512 + 84, 512 + 85)],
  ])('is rejected for %s', (_what, change) => {
    expect(decodePartitionTable(change(gptHead([ROOT])), 512)).toBeUndefined();
  });

  it('is read up to 128 entries and to the last byte', () => {
    const head = gptHead([ROOT]);
    head.writeUInt32LE(100_000, 512 + 80);
    expect(decodePartitionTable(head.subarray(0, 1024 + 128 * 128), 512)?.partitions).toHaveLength(1);
  });

  it('of any bytes gives a table or none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 92, maxLength: 92 }), (header) => {
        const head = gptHead([ROOT]);
        head.set(header.subarray(8), 520);
        const table = decodePartitionTable(head, 512);
        expect(table === undefined || table.kind === 'gpt').toBe(true);
      }),
    );
  });
});

describe('the layout of a disk image', () => {
  it.each([512, 4096])('comes from its table with sectors of %i bytes', (sectorBytes) => {
    const head = gptHead([{ firstSector: 8192, sectors: 10 }, ROOT], sectorBytes);
    const value = { kind: 'gpt', endBytes: 8202 * sectorBytes };
    expect(decodeDiskLayout(head)).toEqual({ ok: true, value });
  });

  it('needs a partition', () => {
    expect(decodeDiskLayout(gptHead([]))).toEqual({ ok: false, reason: 'its partition table is empty' });
    expect(decodeDiskLayout(mbrHead([]))).toEqual({ ok: false, reason: 'its partition table is empty' });
  });

  it.each([446, 462, 478, 494])(
    'rejects the boot sector of a file system, whose byte %i is program code',
    (at) => {
      const head = mbrHead([ROOT]);
      head[at] = 0x80;
      expect(decodeDiskLayout(head)).toMatchObject({ ok: true, value: { kind: 'mbr' } });
      head[at] = 0x41;
      expect(decodeDiskLayout(head)).toEqual({
        ok: false,
        reason: 'it has no partition table, so it is not a whole-disk image',
      });
    },
  );

  it('needs a whole sector', () => {
    expect(decodeDiskLayout(mbrHead([ROOT]).subarray(0, 511))).toMatchObject({ ok: false });
    expect(decodeDiskLayout(mbrHead([ROOT]).subarray(0, 512))).toMatchObject({ ok: true });
  });
});
