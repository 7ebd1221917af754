/** Disks as the inventory lists them, from the few fields that a test needs. */
import type { Disk } from '../../../agent/inventory/disks.ts';

export const GIB = 1024 ** 3;

export function fakeDisk(fields: Partial<Disk> = {}): Disk {
  return {
    name: '/dev/sda',
    model: 'QEMU HARDDISK',
    size: 20 * GIB,
    rotational: true,
    wwn: null,
    serial: null,
    vendor: null,
    wwn_with_extension: null,
    wwn_vendor_extension: null,
    hctl: null,
    by_path: null,
    logical_sectors: 512,
    physical_sectors: 512,
    tran: null,
    readOnly: false,
    ...fields,
  };
}
