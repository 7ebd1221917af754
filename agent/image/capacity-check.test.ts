import { describe, expect, it } from 'vitest';
import { gptHead, mbrHead } from '../../test/fakes/agent/partition-table.ts';
import { type CapacityInputs, capacityFor } from './capacity-check.ts';

const MEBI = 1024 * 1024;
const GIB = 1024 * MEBI;

/** 1 GiB of partitions, starting at 1 MiB. */
const ROOT = { firstSector: 2048, sectors: GIB / 512, name: 'root' };
const GPT = gptHead([ROOT]);
const MBR = mbrHead([ROOT]);

const inputs = (more: Partial<CapacityInputs> = {}): CapacityInputs => ({
  device: '/dev/sda',
  deviceBytes: 10 * GIB,
  sectorBytes: 512,
  imageBytes: 2 * GIB,
  driveBytes: null,
  ...more,
});

describe('the capacity for an image', () => {
  it('is the whole disk without a config drive', () => {
    expect(capacityFor(GPT, inputs())).toBe(10 * GIB);
    expect(capacityFor(MBR, inputs({ imageBytes: 10 * GIB }))).toBe(10 * GIB);
    expect(capacityFor(MBR, inputs({ imageBytes: null }))).toBe(10 * GIB);
  });

  it('is reduced by the config drive in whole MiB, the backup GPT and the alignment', () => {
    expect(capacityFor(GPT, inputs({ driveBytes: 1 }))).toBe(10 * GIB - 3 * MEBI);
    expect(capacityFor(MBR, inputs({ driveBytes: 64 * MEBI }))).toBe(10 * GIB - 66 * MEBI);
  });

  it('is the whole disk when the image has a partition for the config drive', () => {
    const own = gptHead([ROOT, { firstSector: 2048 + GIB / 512, sectors: 8192, name: 'config-2' }]);
    expect(capacityFor(own, inputs({ driveBytes: 4 * MEBI }))).toBe(10 * GIB);
    expect(() => capacityFor(own, inputs({ driveBytes: 4 * MEBI + 1 }))).toThrow(
      "the configdrive is 4194305 bytes (4.0 MiB), but the image's own config-2 partition only 4194304 bytes (4.0 MiB)",
    );
  });
});

describe('an image that is too large', () => {
  it('is rejected by its size, with both sizes', () => {
    expect(() => capacityFor(GPT, inputs({ imageBytes: 10 * GIB + 1 }))).toThrow(
      'the image is 10737418241 bytes (10.0 GiB) and does not fit on /dev/sda of 10737418240 bytes (10.0 GiB): use a smaller image, or a root device hint (properties.root_device) that names a larger disk',
    );
  });

  it('together with its config drive is rejected with all three sizes', () => {
    expect(() => capacityFor(GPT, inputs({ imageBytes: 10 * GIB, driveBytes: 32 * MEBI }))).toThrow(
      'the image is 10737418240 bytes (10.0 GiB) and does not fit on /dev/sda of 10737418240 bytes (10.0 GiB) beside the configdrive of 33554432 bytes (32.0 MiB), which leaves 10701766656 bytes (10.0 GiB)',
    );
  });

  it.each([GPT, MBR])('is rejected by the end of its partitions, also when its size is unknown', (head) => {
    expect(() => capacityFor(head, inputs({ imageBytes: null, deviceBytes: GIB }))).toThrow(
      'the image has partitions up to 1074790400 bytes (1.0 GiB) and does not fit on /dev/sda',
    );
  });

  it('beside a config drive larger than the disk leaves nothing', () => {
    const small = inputs({ deviceBytes: 10 * MEBI, driveBytes: 64 * MEBI });
    expect(() => capacityFor(GPT, small)).toThrow('which leaves 0 bytes');
  });
});

describe('a config drive with an MBR', () => {
  it('is rejected when no primary partition is free', () => {
    const four = mbrHead([1, 2, 3, 4].map((n) => ({ firstSector: n * 2048, sectors: 2048 })));
    expect(() => capacityFor(four, inputs({ driveBytes: 1 }))).toThrow(
      'the image has 4 MBR partitions already',
    );
    expect(capacityFor(four, inputs())).toBe(10 * GIB);
  });

  it('is rejected at the end of a disk that is too large for an MBR', () => {
    expect(() => capacityFor(MBR, inputs({ deviceBytes: 4096 * GIB, driveBytes: 1 }))).toThrow(
      /an MBR cannot hold a configdrive at the end of \/dev\/sda .* beyond .*\(2048\.0 GiB\): use an image with a GPT/,
    );
    expect(capacityFor(GPT, inputs({ deviceBytes: 4096 * GIB, driveBytes: 1 }))).toBe(4096 * GIB - 3 * MEBI);
  });
});

describe('an image that is not a whole-disk image', () => {
  it.each([
    ['qcow2', 'QFI\u00fb'],
    ['gzip', '\u001f\u008b'],
    ['xz', '\u00fd7zXZ\0'],
  ])('is refused as %s', (format, magic) => {
    const head = Buffer.alloc(4096);
    head.write(magic, 'latin1');
    expect(() => capacityFor(head, inputs())).toThrow(
      `the image is ${format}, but image_info.disk_format is raw`,
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(65536)],
    ['an error page', Buffer.from('<html>sign in</html>'.padEnd(4096))],
    ['a table without partitions', gptHead([])],
  ])('is refused for its lack of partitions: %s', (_what, head) => {
    expect(() => capacityFor(head, inputs())).toThrow(/^the image cannot be written as whole-disk: its? /);
  });

  it.each([
    [512, 4096],
    [4096, 512],
  ])('is refused when made for sectors of %i bytes on a disk of %i', (made, sectorBytes) => {
    const head = gptHead([{ firstSector: 256, sectors: 1000 }], made);
    expect(capacityFor(head, inputs({ sectorBytes: made }))).toBe(10 * GIB);
    expect(() => capacityFor(head, inputs({ sectorBytes }))).toThrow(
      `the image's partition table is not made for the ${sectorBytes}-byte sectors of /dev/sda`,
    );
  });
});
