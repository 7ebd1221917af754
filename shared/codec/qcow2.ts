/**
 * The header of a qcow2 image (QEMU docs/interop/qcow2.txt), version 2 and 3; big-endian.
 *
 *    0 magic "QFI\xfb"     4 version          8 backing file offset   16 backing file size
 *   20 cluster bits       24 virtual size    32 encryption           36 L1 entries
 *   40 L1 offset          72 incompatible features (v3)              100 header length (v3)
 *
 * Pure; returns a reason for an invalid header. refuseQcow2 decides whether an image may be used.
 */
import { bad, type Decoded } from '../decoded.ts';

const QCOW2_MAGIC = 0x514649fb;

export interface Qcow2Header {
  readonly version: 2 | 3;
  readonly hasBackingFile: boolean;
  readonly clusterBits: number;
  /** Bytes. */
  readonly virtualSize: number;
  readonly encryption: number;
  readonly incompatibleFeatures: bigint;
  readonly hasDataFileName: boolean;
  readonly l1Entries: number;
  readonly l1Offset: number;
}

const DATA_FILE_EXTENSION = 0x44415441;
/** Bit 0 dirty, 1 corrupt, 2 external data file, 3 compression type, 4 extended L2 entries. */
const EXTERNAL_DATA = 1n << 2n;
const CORRUPT = 1n << 1n;
const EXTENDED_L2 = 1n << 4n;
const KNOWN_FEATURES = (1n << 0n) | (1n << 3n) | EXTENDED_L2;
/** QEMU's limit on the L1 table: 32 MiB. */
const MAX_L1_ENTRIES = 4 * 1024 * 1024;

export function decodeQcow2(file: Uint8Array): Decoded<Qcow2Header> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < 72) return bad('shorter than a qcow2 header');
  if (bytes.readUInt32BE(0) !== QCOW2_MAGIC) return bad('no qcow2 magic');
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) return bad(`qcow2 version ${version} is not known`);
  if (version === 3 && bytes.length < 104) return bad('shorter than a qcow2 version 3 header');
  const clusterBits = bytes.readUInt32BE(20);
  if (clusterBits < 9 || clusterBits > 21) return bad(`cluster size of 2^${clusterBits} is out of range`);
  const virtualSize = bytes.readBigUInt64BE(24);
  if (virtualSize > BigInt(Number.MAX_SAFE_INTEGER)) return bad('virtual size is out of range');
  if (bytes.readUInt32BE(36) > MAX_L1_ENTRIES) return bad('L1 table is out of range');
  const header: Qcow2Header = {
    version,
    hasBackingFile: bytes.readBigUInt64BE(8) !== 0n,
    clusterBits,
    virtualSize: Number(virtualSize),
    encryption: bytes.readUInt32BE(32),
    incompatibleFeatures: version === 3 ? bytes.readBigUInt64BE(72) : 0n,
    hasDataFileName: version === 3 && hasExtension(bytes, DATA_FILE_EXTENSION),
    l1Entries: bytes.readUInt32BE(36),
    l1Offset: Number(bytes.readBigUInt64BE(40)),
  };
  const wrong = checkL1(header);
  return wrong === undefined ? { ok: true, value: header } : bad(wrong);
}

export const clusterBytes = ({ clusterBits }: Pick<Qcow2Header, 'clusterBits'>): number => 2 ** clusterBits;

/** Bytes of one L2 entry, which is twice as long with subclusters. */
export const l2EntryBytes = (header: Pick<Qcow2Header, 'incompatibleFeatures'>): number =>
  (header.incompatibleFeatures & EXTENDED_L2) === 0n ? 8 : 16;

function checkL1(header: Qcow2Header): string | undefined {
  const needed = Math.ceil(header.virtualSize / (clusterBytes(header) ** 2 / l2EntryBytes(header)));
  if (header.l1Entries < needed) return `its L1 table has ${header.l1Entries} entries and needs ${needed}`;
  if (header.l1Offset % clusterBytes(header) !== 0 || !Number.isSafeInteger(header.l1Offset))
    return 'its L1 table does not begin where a cluster does';
  return undefined;
}

/** Header extensions: type, length, data padded to 8; type 0 ends them. */
function hasExtension(bytes: Buffer, wanted: number): boolean {
  for (let at = bytes.readUInt32BE(100); at + 8 <= bytes.length; ) {
    const type = bytes.readUInt32BE(at);
    if (type === 0) return false;
    if (type === wanted) return true;
    at += 8 + Math.ceil(bytes.readUInt32BE(at + 4) / 8) * 8;
  }
  return false;
}

/** Why an image must not be given to a converter: it may refer to other files, or uses unknown features. */
export function refuseQcow2(header: Qcow2Header): string | undefined {
  if (header.hasBackingFile) return 'it has a backing file; flatten it with "qemu-img convert"';
  if (header.hasDataFileName || (header.incompatibleFeatures & EXTERNAL_DATA) !== 0n)
    return 'it keeps its data in an external file';
  if (header.encryption !== 0) return 'it is encrypted';
  if ((header.incompatibleFeatures & CORRUPT) !== 0n)
    return 'it is marked as corrupt; repair it with "qemu-img check -r all"';
  const unknown = header.incompatibleFeatures & ~(KNOWN_FEATURES | EXTERNAL_DATA | CORRUPT);
  if (unknown !== 0n)
    return `it uses incompatible features this parser does not know (0x${unknown.toString(16)})`;
  if (header.virtualSize === 0) return 'its virtual size is zero';
  return undefined;
}
