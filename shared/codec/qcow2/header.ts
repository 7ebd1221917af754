/**
 * The header of a qcow2 image (QEMU docs/interop/qcow2.txt), version 2 and 3; big-endian.
 *
 *    0 magic "QFI\xfb"     4 version          8 backing file offset   16 backing file size
 *   20 cluster bits       24 virtual size    32 encryption           36 L1 entries
 *   40 L1 offset          72 incompatible features (v3)             100 header length (v3)
 *  104 compression type (v3, if the header is longer than 104 bytes)
 *
 * Pure; returns a reason for an invalid header. refuseQcow2 decides whether an image may be used.
 */
import { bad, type Decoded } from '../../decoded.ts';

const QCOW2_MAGIC = 0x514649fb;

/** The header is in the first bytes of the file; header extensions behind them are not looked for. */
export const QCOW2_HEAD_BYTES = 64 * 1024;

export interface Qcow2Header {
  readonly version: 2 | 3;
  readonly hasBackingFile: boolean;
  readonly clusterBits: number;
  /** Bytes. */
  readonly virtualSize: number;
  readonly encryption: number;
  readonly incompatibleFeatures: bigint;
  /** 0 zlib, 1 zstd. */
  readonly compressionType: number;
  readonly hasDataFileName: boolean;
  readonly l1Entries: number;
  readonly l1Offset: number;
}

const DATA_FILE_EXTENSION = 0x44415441;
const DIRTY = 1n << 0n;
const CORRUPT = 1n << 1n;
const EXTERNAL_DATA = 1n << 2n;
const COMPRESSION_TYPE = 1n << 3n;
const EXTENDED_L2 = 1n << 4n;
const KNOWN_FEATURES = DIRTY | CORRUPT | EXTERNAL_DATA | COMPRESSION_TYPE | EXTENDED_L2;
/** QEMU's limit on the L1 table: 32 MiB. */
const MAX_L1_ENTRIES = 4 * 1024 * 1024;
/** An L2 entry with subclusters describes 32 of at least 512 bytes. */
const MIN_EXTENDED_CLUSTER_BITS = 14;
const SECTOR_BYTES = 512;
const AES = 1;
const LUKS = 2;
const ZSTD = 1;

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
    compressionType: version === 3 ? compressionType(bytes) : 0,
    hasDataFileName: version === 3 && hasExtension(bytes, DATA_FILE_EXTENSION),
    l1Entries: bytes.readUInt32BE(36),
    l1Offset: Number(bytes.readBigUInt64BE(40)),
  };
  const wrong = checkL1(header);
  return wrong === undefined ? { ok: true, value: header } : bad(wrong);
}

export const clusterBytes = ({ clusterBits }: Pick<Qcow2Header, 'clusterBits'>): number => 2 ** clusterBits;

/** Whether each L2 entry has a second word that describes subclusters. */
export const hasExtendedL2 = ({ incompatibleFeatures }: Pick<Qcow2Header, 'incompatibleFeatures'>): boolean =>
  (incompatibleFeatures & EXTENDED_L2) !== 0n;

export const l2EntryBytes = (header: Pick<Qcow2Header, 'incompatibleFeatures'>): number =>
  hasExtendedL2(header) ? 16 : 8;

/** Bytes of the disk that one L2 table describes. */
export const l2Span = (header: Pick<Qcow2Header, 'clusterBits' | 'incompatibleFeatures'>): number =>
  clusterBytes(header) ** 2 / l2EntryBytes(header);

/** The L1 entries of the disk. The table may have more, for the states of virtual machines in snapshots. */
export const neededL1Entries = (
  header: Pick<Qcow2Header, 'clusterBits' | 'incompatibleFeatures' | 'virtualSize'>,
): number => Math.ceil(header.virtualSize / l2Span(header));

function checkL1(header: Qcow2Header): string | undefined {
  const needed = neededL1Entries(header);
  if (header.l1Entries < needed) return `its L1 table has ${header.l1Entries} entries and needs ${needed}`;
  if (header.l1Offset % clusterBytes(header) !== 0 || !Number.isSafeInteger(header.l1Offset))
    return 'its L1 table does not begin where a cluster does';
  return undefined;
}

/** An 8-bit field, present if the header is long enough. */
const compressionType = (bytes: Buffer): number => (bytes.readUInt32BE(100) > 104 ? (bytes[104] ?? 0) : 0);

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

/** Why an image must not be read: it may refer to other files, is damaged, or uses unknown features. */
export function refuseQcow2(header: Qcow2Header): string | undefined {
  const has = (feature: bigint): boolean => (header.incompatibleFeatures & feature) !== 0n;
  if (header.hasBackingFile) return 'it has a backing file; flatten it with "qemu-img convert"';
  if (header.hasDataFileName || has(EXTERNAL_DATA)) return 'it keeps its data in an external file';
  if (header.encryption !== 0) return `it is encrypted${ENCRYPTIONS[header.encryption] ?? ''}`;
  if (has(CORRUPT)) return 'it is marked as corrupt; repair it with "qemu-img check -r all"';
  if (has(DIRTY))
    return 'it is marked as dirty: it was not closed properly; repair it with "qemu-img check -r all"';
  const unknown = header.incompatibleFeatures & ~KNOWN_FEATURES;
  if (unknown !== 0n)
    return `it uses incompatible features this parser does not know (0x${unknown.toString(16)})`;
  return refuseValues(header);
}

function refuseValues(header: Qcow2Header): string | undefined {
  const { compressionType: type, incompatibleFeatures, virtualSize } = header;
  if (type > ZSTD) return `its clusters are compressed with an unknown method (${type})`;
  if ((type !== 0) !== ((incompatibleFeatures & COMPRESSION_TYPE) !== 0n))
    return 'its compression method and its incompatible features contradict each other';
  if (hasExtendedL2(header) && header.clusterBits < MIN_EXTENDED_CLUSTER_BITS)
    return 'its clusters are too small for extended L2 entries';
  if (virtualSize === 0) return 'its virtual size is zero';
  if (virtualSize % SECTOR_BYTES !== 0)
    return `its virtual size (${virtualSize} bytes) does not consist of whole sectors`;
  return undefined;
}

const ENCRYPTIONS: Readonly<Record<number, string>> = { [AES]: ' (AES)', [LUKS]: ' (LUKS)' };
