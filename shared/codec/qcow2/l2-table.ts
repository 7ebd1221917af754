/**
 * The entries of an L2 table of a qcow2 image, big-endian:
 *
 *   bit 62 compressed    the low 62 - (cluster bits - 8) bits are the offset in the file, the bits above them the
 *                        number of further sectors
 *   otherwise            bits 9-55 offset of the cluster, 0 if there is none; bit 0: the cluster reads as zeros
 *   with extended L2     a second word: bits 0-31 which of 32 subclusters are stored, bits 32-63 which read as zeros
 *
 * Pure. The words are read as two halves, because a table has up to 262,144 entries and bigints are slow.
 */
import { BadQcow2, byteCount } from './bad-qcow2.ts';
import { clusterBytes, hasExtendedL2, l2EntryBytes, type Qcow2Header } from './header.ts';

/** A part of the disk that the file contains. All other parts read as zeros. */
export interface Extent {
  readonly isCompressed: boolean;
  /** Offset and length on the disk. */
  readonly at: number;
  readonly bytes: number;
  /** Offset and length in the file; a compressed cluster ends somewhere in its last sector. */
  readonly fileAt: number;
  readonly fileBytes: number;
}

/** The part of a high half that belongs to an offset: bits 32-55. */
const OFFSET_HIGH = 0x00ff_ffff;
const COMPRESSED_HIGH = 0x4000_0000;
const SECTOR_BYTES = 512;
const SUBCLUSTERS = 32;

/**
 * The extents of the disk from `diskAt` on, up to the end of the disk. Parts that follow each other on the disk and in
 * the file are one extent of at most `maxBytes`. `claim` is called for every cluster of the file that is not compressed.
 * Throws BadQcow2.
 */
export function* extentsOf(
  l2: Buffer,
  header: Qcow2Header,
  diskAt: number,
  maxBytes: number,
  claim: (fileAt: number) => void,
): Generator<Extent> {
  let open: Extent | undefined;
  for (const part of partsOf(l2, header, diskAt, claim)) {
    const joined = open === undefined ? undefined : join(open, part, maxBytes);
    if (open !== undefined && joined === undefined) yield open;
    open = joined ?? part;
  }
  if (open !== undefined) yield open;
}

function join(a: Extent, b: Extent, maxBytes: number): Extent | undefined {
  if (a.isCompressed || b.isCompressed || a.at + a.bytes !== b.at || a.fileAt + a.bytes !== b.fileAt)
    return undefined;
  const bytes = a.bytes + b.bytes;
  return bytes > maxBytes ? undefined : { ...a, bytes, fileBytes: bytes };
}

/** The extents of single clusters and subclusters. */
function* partsOf(
  l2: Buffer,
  header: Qcow2Header,
  diskAt: number,
  claim: (fileAt: number) => void,
): Generator<Extent> {
  const size = clusterBytes(header);
  const stride = l2EntryBytes(header);
  const extended = hasExtendedL2(header);
  const left = Math.ceil((header.virtualSize - diskAt) / size);
  const entries = Math.min(Math.floor(l2.length / stride), left);
  for (let i = 0; i < entries; i += 1) {
    const [high, low] = [l2.readUInt32BE(i * stride), l2.readUInt32BE(i * stride + 4)];
    const at = diskAt + i * size;
    const bytes = Math.min(size, header.virtualSize - at);
    if ((high & COMPRESSED_HIGH) !== 0) {
      yield compressed(high, low, header.clusterBits, at, bytes);
      continue;
    }
    const fileAt = (high & OFFSET_HIGH) * 2 ** 32 + (low >>> 9) * 512;
    if (fileAt % size !== 0)
      throw new BadQcow2(`a cluster of its data does not begin where a cluster does (${byteCount(fileAt)})`);
    const stored = extended
      ? storedSubclusters(l2.readUInt32BE(i * stride + 8), l2.readUInt32BE(i * stride + 12), fileAt)
      : storedAsWhole((low & 1) !== 0, header.version, fileAt);
    if (stored === 0) continue;
    claim(fileAt);
    if (stored === ALL) yield { isCompressed: false, at, bytes, fileAt, fileBytes: bytes };
    else yield* subclusters(stored, size / SUBCLUSTERS, { at, bytes, fileAt });
  }
}

const ALL = 0xffff_ffff;

/** Which subclusters are read from the file, as a bit mask: all or none. */
function storedAsWhole(isZero: boolean, version: number, fileAt: number): number {
  if (!isZero) return fileAt === 0 ? 0 : ALL;
  if (version === 2) throw new BadQcow2('it marks clusters as zeros, which version 2 has no mark for');
  return 0;
}

function storedSubclusters(zeros: number, stored: number, fileAt: number): number {
  if ((zeros & stored) !== 0) throw new BadQcow2('a part of its data is marked both as stored and as zeros');
  if (stored !== 0 && fileAt === 0)
    throw new BadQcow2('a part of its data is marked as stored, but has no place');
  return stored;
}

function* subclusters(
  stored: number,
  size: number,
  { at, bytes, fileAt }: Pick<Extent, 'at' | 'bytes' | 'fileAt'>,
): Generator<Extent> {
  for (let i = 0; i < SUBCLUSTERS && i * size < bytes; i += 1) {
    if (((stored >>> i) & 1) === 0) continue;
    const part = Math.min(size, bytes - i * size);
    yield {
      isCompressed: false,
      at: at + i * size,
      bytes: part,
      fileAt: fileAt + i * size,
      fileBytes: part,
    };
  }
}

function compressed(high: number, low: number, clusterBits: number, at: number, bytes: number): Extent {
  // The offset has 62 - (clusterBits - 8) bits: 49 to 61, so that its end is in the high half.
  const offsetBits = 62 - (clusterBits - 8) - 32;
  const descriptor = high & 0x3fff_ffff;
  const fileAt = (descriptor & (2 ** offsetBits - 1)) * 2 ** 32 + low;
  const sectors = (descriptor >>> offsetBits) + 1;
  return {
    isCompressed: true,
    at,
    bytes,
    fileAt,
    fileBytes: sectors * SECTOR_BYTES - (fileAt % SECTOR_BYTES),
  };
}
