import { describe, expect, it } from 'vitest';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import { listDisks, parseLsblk, parseWwid } from './disks.ts';

interface Row {
  readonly path: string;
  readonly type?: string;
  readonly size?: number;
  readonly [column: string]: unknown;
}

/** The output of lsblk 2.38 without udev: it has neither serial nor WWN. */
const lsblk = (...rows: readonly Row[]): string =>
  JSON.stringify({
    blockdevices: rows.map((row) => ({
      type: 'disk',
      size: 6_442_450_944,
      model: null,
      serial: null,
      vendor: '0x1af4',
      wwn: null,
      hctl: null,
      tran: null,
      rota: true,
      ro: false,
      'log-sec': 512,
      'phy-sec': 512,
      ...row,
    })),
  });

describe('disks', () => {
  it('have exactly the keys of ironic-python-agent, and whether they are read-only', () => {
    const [disk] = parseLsblk(
      lsblk({
        path: '/dev/sda',
        size: 480_103_981_056,
        model: 'SAMSUNG MZ7LH480 ',
        serial: 'S45PNA0M',
        vendor: 'ATA     ',
        wwn: '0x5002538e00000001',
        hctl: '0:0:0:0',
        tran: 'sata',
        rota: false,
        'phy-sec': 4096,
      }),
    );
    expect(disk).toStrictEqual({
      name: '/dev/sda',
      model: 'SAMSUNG MZ7LH480',
      size: 480_103_981_056,
      rotational: false,
      wwn: '0x5002538e00000001',
      serial: 'S45PNA0M',
      vendor: 'ATA',
      wwn_with_extension: '0x5002538e00000001',
      wwn_vendor_extension: null,
      hctl: '0:0:0:0',
      by_path: null,
      logical_sectors: 512,
      physical_sectors: 4096,
      tran: 'sata',
      readOnly: false,
    });
  });

  it('are whole disks with a size that can contain an image, ordered by name', () => {
    const rows = [
      { path: '/dev/vdb', ro: true },
      { path: '/dev/vda' },
      { path: '/dev/vda1', type: 'part' },
      { path: '/dev/md0', type: 'raid1' },
      { path: '/dev/nbd0', size: 0 },
      { path: '/dev/zram0' },
      { path: '/dev/mmcblk0' },
      { path: '/dev/mmcblk0boot0', ro: true },
      { path: '/dev/mmcblk0rpmb' },
      { path: '/dev/nvme0n1' },
    ];
    expect(parseLsblk(lsblk(...rows)).map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['/dev/mmcblk0', false],
      ['/dev/nvme0n1', false],
      ['/dev/vda', false],
      ['/dev/vdb', true],
    ]);
  });

  it('have the serial and WWN of the kernel when lsblk does not know them', async () => {
    const tree = makeTree({
      'sys/class/block/vda/serial': 'LABDISK0\n',
      'sys/class/block/nvme0n1/wwid': 'eui.0025385b91b00a2f\n',
      'sys/class/block/nvme0n1/device/serial': 'S64DNX0R123456      \n',
      'sys/class/block/sda/device/wwid': 'naa.5002538e00000001\n',
    });
    const rows = lsblk(
      { path: '/dev/vda' },
      { path: '/dev/nvme0n1' },
      { path: '/dev/sda' },
      { path: '/dev/sdb', serial: 'KNOWN', wwn: '0x500' },
    );
    const disks = await listDisks(async () => rows, tree);
    expect(disks.map(({ name, serial, wwn }) => [name, serial, wwn])).toEqual([
      ['/dev/nvme0n1', 'S64DNX0R123456', 'eui.0025385b91b00a2f'],
      ['/dev/sda', null, '0x5002538e00000001'],
      ['/dev/sdb', 'KNOWN', '0x500'],
      ['/dev/vda', 'LABDISK0', null],
    ]);
  });

  it('can not be listed without lsblk, which is an error', async () => {
    await expect(listDisks(() => Promise.reject(new Error('lsblk failed (ENOENT)')))).rejects.toThrow(
      'lsblk',
    );
  });
});

it.each([
  ['naa.5002538E00000001', '0x5002538e00000001', '0x5002538e00000001', null],
  [
    'naa.600508b1001c3a5e0123456789abcdef',
    '0x600508b1001c3a5e',
    '0x600508b1001c3a5e0123456789abcdef',
    '0x0123456789abcdef',
  ],
  ['eui.0025385b91b00a2f', 'eui.0025385b91b00a2f', 'eui.0025385b91b00a2f', null],
  [
    'nvme.1b36-6e7631-51454d55-00000001',
    'nvme.1b36-6e7631-51454d55-00000001',
    'nvme.1b36-6e7631-51454d55-00000001',
    null,
  ],
])('the kernel’s %s as udev has it', (wwid, wwn, withExtension, extension) => {
  expect(parseWwid(wwid)).toEqual({
    wwn,
    wwn_with_extension: withExtension,
    wwn_vendor_extension: extension,
  });
});

it.each(['t10.ATA     QEMU HARDDISK   QM00001', 'naa.12', ''])('"%s" is no WWN', (wwid) => {
  expect(parseWwid(wwid)).toBeUndefined();
});
