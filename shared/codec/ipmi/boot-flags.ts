/**
 * Boot flags: System Boot Options parameter 5 (IPMI 2.0 table 28-14).
 *
 *   byte 1  7 valid: the BIOS shall use the flags, 6 persistent: for all future boots, 5 UEFI: the device is booted by UEFI
 *   byte 2  7 clear CMOS, 6 lock keyboard, 5:2 device, 1 blank screen, 0 lock out reset button
 *   byte 3  console redirection, verbosity, button locks
 *   byte 4  BIOS multiplexer override
 *   byte 5  device instance
 */
import { type Decoded, good, short } from './decoded.ts';

/** Device selectors by Ironic's names. Other selectors are kept as numbers. */
export const BOOT_DEVICE_SELECTORS = {
  none: 0x0,
  pxe: 0x1,
  disk: 0x2,
  /** Default hard disk, requesting safe mode. */
  safe: 0x3,
  cdrom: 0x5,
  /** BIOS set-up. */
  bios: 0x6,
  /** Primary removable medium. */
  floppy: 0xf,
} as const;

export type BootFlagDevice = keyof typeof BOOT_DEVICE_SELECTORS;

export interface BootFlags {
  /** The BIOS shall use these flags. The BMC clears it after the boot or after 60 s. */
  readonly valid: boolean;
  readonly persistent: boolean;
  readonly uefi: boolean;
  /** 4 bits. */
  readonly selector: number;
}

export const BOOT_FLAGS_BYTES = 5;

export function encodeBootFlags(flags: BootFlags): Buffer {
  const first = (flags.valid ? 0x80 : 0) | (flags.persistent ? 0x40 : 0) | (flags.uefi ? 0x20 : 0);
  return Buffer.from([first, (flags.selector & 0x0f) << 2, 0, 0, 0]);
}

export function decodeBootFlags(data: Buffer): Decoded<BootFlags> {
  if (data.length < 2) return short('boot flags', 2, data.length);
  return good({
    valid: (data[0]! & 0x80) !== 0,
    persistent: (data[0]! & 0x40) !== 0,
    uefi: (data[0]! & 0x20) !== 0,
    selector: (data[1]! >> 2) & 0x0f,
  });
}

export function bootFlagDevice(selector: number): BootFlagDevice | undefined {
  const names = Object.keys(BOOT_DEVICE_SELECTORS) as BootFlagDevice[];
  return names.find((name) => BOOT_DEVICE_SELECTORS[name] === selector);
}
