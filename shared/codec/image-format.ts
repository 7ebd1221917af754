/**
 * Detects the format of a disk image from its signature. Files without a known signature are raw.
 */
export type ImageFormat =
  | 'qcow2'
  | 'raw'
  | 'vmdk'
  | 'vdi'
  | 'vhd'
  | 'vhdx'
  | 'parallels'
  | 'dmg'
  | 'luks'
  | 'iso'
  | 'qed'
  | 'gzip'
  | 'xz'
  | 'zstd'
  | 'bzip2'
  | 'zip';

interface Signature {
  readonly format: ImageFormat;
  readonly at: number;
  readonly bytes: string;
}

/** Offsets in bytes, negative ones from the end; values in latin1. */
const SIGNATURES: readonly Signature[] = [
  { format: 'qcow2', at: 0, bytes: 'QFI\u00fb' },
  { format: 'qed', at: 0, bytes: 'QED\0' },
  { format: 'vmdk', at: 0, bytes: 'KDMV' },
  { format: 'vmdk', at: 0, bytes: '# Disk DescriptorFile' },
  { format: 'vdi', at: 0x40, bytes: '\u007f\u0010\u00da\u00be' },
  { format: 'vhd', at: 0, bytes: 'conectix' },
  { format: 'vhd', at: -512, bytes: 'conectix' },
  { format: 'vhdx', at: 0, bytes: 'vhdxfile' },
  { format: 'parallels', at: 0, bytes: 'WithoutFreeSpace' },
  { format: 'parallels', at: 0, bytes: 'WithouFreSpacExt' },
  { format: 'dmg', at: -512, bytes: 'koly' },
  { format: 'luks', at: 0, bytes: 'LUKS\u00ba\u00be' },
  { format: 'gzip', at: 0, bytes: '\u001f\u008b' },
  { format: 'xz', at: 0, bytes: '\u00fd7zXZ\0' },
  { format: 'zstd', at: 0, bytes: '\u0028\u00b5\u002f\u00fd' },
  { format: 'bzip2', at: 0, bytes: 'BZh' },
  { format: 'zip', at: 0, bytes: 'PK\u0003\u0004' },
  { format: 'iso', at: 0x8001, bytes: 'CD001' },
];

/** Needs the first 64 KiB and the last 512 bytes of the file, which may overlap. */
export function detectFormat(head: Uint8Array, tail: Uint8Array): ImageFormat {
  const found = SIGNATURES.find(({ at, bytes }) => {
    const part = at < 0 ? tail : head;
    const from = at < 0 ? tail.length + at : at;
    const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    return from >= 0 && text.toString('latin1', from, from + bytes.length) === bytes;
  });
  // A hybrid ISO also has a partition table and boots from a disk, but it is not accepted as a disk image.
  return found?.format ?? 'raw';
}
