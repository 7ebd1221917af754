/**
 * Lists whole disks, from lsblk and /sys. Partitions, loop devices, RAM disks and CD drives are left out.
 */
import { basename, join } from 'node:path';
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';
import type { Run } from '../exec/run.ts';
import { readText } from './sysfs.ts';

interface LsblkDevice {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly model: string | null;
  readonly serial: string | null;
  readonly vendor: string | null;
  readonly wwn: string | null;
  readonly hctl: string | null;
  readonly tran: string | null;
  readonly rota: boolean;
  readonly ro: boolean;
  readonly 'log-sec': number;
  readonly 'phy-sec': number;
}

const COLUMNS = 'PATH,TYPE,SIZE,MODEL,SERIAL,VENDOR,WWN,HCTL,TRAN,ROTA,RO,LOG-SEC,PHY-SEC';
/** Major numbers of RAM disks, floppies, loop devices and CD drives. */
const NOT_DISKS = '1,2,7,11';

export interface Disk extends InventoryDisk {
  readonly readOnly: boolean;
}

/** Compressed RAM and the boot and replay-protected areas of eMMC: an image cannot be written to them. */
const SPECIAL = /^\/dev\/(zram\d+|mmcblk\d+(boot\d+|rpmb))$/;

/** @param tree the directory that contains `sys`. */
export async function listDisks(run: Run, tree = '/'): Promise<Disk[]> {
  const answer = await run('lsblk', ['-Jbdn', '-e', NOT_DISKS, '-o', COLUMNS]);
  return Promise.all(parseLsblk(answer).map((disk) => withIdentity(disk, tree)));
}

/** lsblk gets serial and WWN from udev, which the ramdisk does not have, so they are read from /sys. */
async function withIdentity(disk: Disk, tree: string): Promise<Disk> {
  const read = (file: string): Promise<string | null> =>
    readText(join(tree, 'sys/class/block', basename(disk.name), file));
  const serial = disk.serial ?? (await read('serial')) ?? (await read('device/serial'));
  if (disk.wwn !== null) return { ...disk, serial };
  const wwid = (await read('wwid')) ?? (await read('device/wwid'));
  return { ...disk, serial, ...(wwid === null ? {} : parseWwid(wwid)) };
}

/**
 * Converts the kernel's `naa.5000c500a1b2c3d4` to udev's ID_WWN, `0x5000c500a1b2c3d4`. The first half of a 128-bit NAA 6
 * is the WWN and the second its vendor extension. NVMe's `eui.…` and `nvme.…` are kept. `t10.…` is not a WWN but model
 * and serial number.
 */
export function parseWwid(
  wwid: string,
): Pick<Disk, 'wwn' | 'wwn_with_extension' | 'wwn_vendor_extension'> | undefined {
  if (/^(eui|nvme)\./.test(wwid)) return { wwn: wwid, wwn_with_extension: wwid, wwn_vendor_extension: null };
  const [, first, second] = /^naa\.([0-9a-f]{16})([0-9a-f]{16})?$/i.exec(wwid) ?? [];
  if (first === undefined) return undefined;
  return {
    wwn: `0x${first.toLowerCase()}`,
    wwn_with_extension: `0x${first}${second ?? ''}`.toLowerCase(),
    wwn_vendor_extension: second === undefined ? null : `0x${second.toLowerCase()}`,
  };
}

export function parseLsblk(json: string): Disk[] {
  const { blockdevices } = JSON.parse(json) as { blockdevices: LsblkDevice[] };
  return blockdevices
    .filter((device) => device.type === 'disk' && device.size > 0 && !SPECIAL.test(device.path))
    .map((device) => ({
      name: device.path,
      model: device.model?.trim() ?? '',
      size: device.size,
      rotational: device.rota,
      wwn: device.wwn,
      serial: device.serial?.trim() ?? null,
      vendor: device.vendor?.trim() ?? null,
      wwn_with_extension: device.wwn,
      wwn_vendor_extension: null,
      hctl: device.hctl,
      by_path: null,
      logical_sectors: device['log-sec'],
      physical_sectors: device['phy-sec'],
      tran: device.tran,
      readOnly: device.ro,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
