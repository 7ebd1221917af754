/**
 * Which disk image format a file is, by its first bytes. Anything not recognised is raw.
 */
export type ImageFormat =
  | 'qcow2'
  | 'raw'
  | 'vmdk'
  | 'vdi'
  | 'vhd'
  | 'vhdx'
  | 'luks'
  | 'iso'
  | 'qed'
  | 'gzip'
  | 'xz'
  | 'zstd';

interface Signature {
  readonly format: ImageFormat;
  readonly at: number;
  readonly bytes: string;
}

/** Offsets in bytes, values as latin1. */
const SIGNATURES: readonly Signature[] = [
  { format: 'qcow2', at: 0, bytes: 'QFI\u00fb' },
  { format: 'qed', at: 0, bytes: 'QED\0' },
  { format: 'vmdk', at: 0, bytes: 'KDMV' },
  { format: 'vmdk', at: 0, bytes: '# Disk DescriptorFile' },
  { format: 'vdi', at: 0x40, bytes: '\u007f\u0010\u00da\u00be' },
  { format: 'vhd', at: 0, bytes: 'conectix' },
  { format: 'vhdx', at: 0, bytes: 'vhdxfile' },
  { format: 'luks', at: 0, bytes: 'LUKS\u00ba\u00be' },
  { format: 'gzip', at: 0, bytes: '\u001f\u008b' },
  { format: 'xz', at: 0, bytes: '\u00fd7zXZ\0' },
  { format: 'zstd', at: 0, bytes: '\u0028\u00b5\u002f\u00fd' },
  { format: 'iso', at: 0x8001, bytes: 'CD001' },
];

/** The file's first 64 KiB are enough. */
export function detectFormat(head: Uint8Array): ImageFormat {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const found = SIGNATURES.find(({ at, bytes }) => text.toString('latin1', at, at + bytes.length) === bytes);
  // A hybrid ISO also carries a partition table and boots as a disk, but it is no disk image of ours.
  return found?.format ?? 'raw';
}

/** A whole disk begins with a partition table: MBR signature (GPT has a protective one). */
export function hasPartitionTable(head: Uint8Array): boolean {
  return head.length >= 512 && head[510] === 0x55 && head[511] === 0xaa;
}
