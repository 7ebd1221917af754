/**
 * Processor architecture types of option 93: what firmware a machine boots with.
 *
 * RFC 4578 section 2.1 with IANA's registry, which says what firmware really sends where the two differ:
 * 7 is UEFI on x64, and 9 (EFI byte code) is sent by x64 machines, too.
 */
export type Platform = 'bios' | 'uefi-ia32' | 'uefi-x64' | 'uefi-arm32' | 'uefi-arm64';

export const ARCHITECTURES: ReadonlyMap<number, Platform> = new Map([
  // By PXE and TFTP.
  [0, 'bios'],
  [6, 'uefi-ia32'],
  [7, 'uefi-x64'],
  [9, 'uefi-x64'],
  [10, 'uefi-arm32'],
  [11, 'uefi-arm64'],
  // By HTTP.
  [15, 'uefi-ia32'],
  [16, 'uefi-x64'],
  [17, 'uefi-x64'],
  [18, 'uefi-arm32'],
  [19, 'uefi-arm64'],
  [20, 'bios'],
]);

/** Types of option 93, most wanted first. Without one it is a BIOS: the option came after PXE. */
export function architecturesOf(option: Buffer | undefined): number[] {
  if (option === undefined || option.length < 2) return [0];
  return Array.from({ length: Math.floor(option.length / 2) }, (_, i) => option.readUInt16BE(2 * i));
}
