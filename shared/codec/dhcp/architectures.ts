/**
 * Processor architecture types of option 93: the firmware that a machine boots with.
 *
 * From RFC 4578 section 2.1 and IANA's registry. Where they differ, the registry has what firmware sends: 7 is UEFI on
 * x64, and x64 machines also send 9 (EFI byte code).
 */
export type Platform = 'bios' | 'uefi-ia32' | 'uefi-x64' | 'uefi-arm32' | 'uefi-arm64';

export const ARCHITECTURES: ReadonlyMap<number, Platform> = new Map([
  // PXE and TFTP.
  [0, 'bios'],
  [6, 'uefi-ia32'],
  [7, 'uefi-x64'],
  [9, 'uefi-x64'],
  [10, 'uefi-arm32'],
  [11, 'uefi-arm64'],
  // HTTP boot.
  [15, 'uefi-ia32'],
  [16, 'uefi-x64'],
  [17, 'uefi-x64'],
  [18, 'uefi-arm32'],
  [19, 'uefi-arm64'],
  [20, 'bios'],
]);

/** The types in option 93, in the client's order of preference. Without it, the client is a BIOS older than the option. */
export function architecturesOf(option: Buffer | undefined): number[] {
  if (option === undefined || option.length < 2) return [0];
  return Array.from({ length: Math.floor(option.length / 2) }, (_, i) => option.readUInt16BE(2 * i));
}
