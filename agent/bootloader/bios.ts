/**
 * BIOS boot: a whole-disk image contains its boot code, so this only checks that it is there.
 */
import { open } from 'node:fs/promises';

/** Length of the boot code and signature of a master boot record. */
const CODE_BYTES = 440;
const SIGNATURE = 0xaa55;

export async function checkBootCode(device: string): Promise<void> {
  const sector = Buffer.alloc(512);
  const handle = await open(device, 'r');
  try {
    await handle.read(sector, 0, sector.length, 0);
  } finally {
    await handle.close();
  }
  if (!hasBootCode(sector)) {
    throw new Error(
      `${device} has no boot code in its first sector: the image does not boot on BIOS. Use a BIOS image, or boot_mode:uefi in capabilities`,
    );
  }
}

export function hasBootCode(sector: Buffer): boolean {
  return sector.readUInt16LE(510) === SIGNATURE && sector.subarray(0, CODE_BYTES).some((byte) => byte !== 0);
}
