/**
 * Reads the label of the file systems that config drives have: ISO 9660 (ECMA-119 section 8.4, volume identifier) and
 * FAT (boot sector). Pure.
 */

/** Bytes at the start of a partition that contain the label. */
export const LABEL_HEAD_BYTES = 0x8800;

interface Label {
  readonly magic: string;
  readonly magicAt: number;
  readonly at: number;
  readonly length: number;
}

const LABELS: readonly Label[] = [
  { magic: 'CD001', magicAt: 0x8001, at: 0x8028, length: 32 },
  { magic: 'FAT32', magicAt: 0x52, at: 0x47, length: 11 },
  { magic: 'FAT1', magicAt: 0x36, at: 0x2b, length: 11 },
];

/** undefined for other file systems. */
export function volumeLabel(head: Buffer): string | undefined {
  const text = (at: number, length: number): string => head.toString('latin1', at, at + length);
  const found = LABELS.find(({ magic, magicAt }) => text(magicAt, magic.length) === magic);
  return found && text(found.at, found.length).trim();
}
