import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listDisks } from './disks.ts';

/** What lsblk 2.38 says in a machine without udev (QEMU, virtio-blk). */
const WITHOUT_UDEV = JSON.stringify({
  blockdevices: [
    {
      path: '/dev/vda',
      type: 'disk',
      size: 6442450944,
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
    },
    { path: '/dev/vda1', type: 'part', size: 1048576 },
  ],
});

it('finds the serial that lsblk does not know without udev', async () => {
  const root = mkdtempSync(join(tmpdir(), 'ingot-sysfs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'sys/class/block/vda'), { recursive: true });
  writeFileSync(join(root, 'sys/class/block/vda/serial'), 'LABDISK0\n');
  const disks = await listDisks(async () => WITHOUT_UDEV, root);
  expect(disks).toHaveLength(1);
  expect(disks[0]).toMatchObject({
    name: '/dev/vda',
    serial: 'LABDISK0',
    wwn: null,
    size: 6442450944,
    readOnly: false,
  });
});
