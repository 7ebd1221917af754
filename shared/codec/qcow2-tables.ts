/**
 * The data tables of a qcow2 image: the L1 table points to L2 tables, which point to clusters. Big-endian.
 *
 *   L1 entry   bits 9-55 offset of an L2 table
 *   L2 entry   bit 62 compressed; else bits 9-55 offset of the cluster, bit 0: reads as zeros
 *              compressed: the low 62 - (cluster bits - 8) bits are the offset
 *              with extended L2 a second word of subcluster bits follows each
 *
 * Pure. Used to find the end of the data in the file, because converters read the missing part of a truncated file as
 * zeros.
 */
import { clusterBytes, l2EntryBytes, type Qcow2Header } from './qcow2.ts';

const OFFSET = 0x00ff_ffff_ffff_fe00n;
const COMPRESSED = 1n << 62n;
const ZERO = 1n;

/** Offsets of the L2 tables, bytes. */
export function l2TableOffsets(l1: Uint8Array): number[] {
  return words(l1, 8)
    .map((entry) => Number(entry & OFFSET))
    .filter((offset) => offset !== 0);
}

/** The largest offset of a cluster in this L2 table, in bytes; 0 if it has none. */
export function lastClusterOffset(l2: Uint8Array, header: Qcow2Header): number {
  const compressedOffset = (1n << BigInt(62 - (header.clusterBits - 8))) - 1n;
  const extended = l2EntryBytes(header) === 16;
  return words(l2, l2EntryBytes(header)).reduce((last, entry) => {
    if ((entry & COMPRESSED) !== 0n) return Math.max(last, Number(entry & compressedOffset));
    const unread = !extended && (entry & ZERO) !== 0n;
    return unread ? last : Math.max(last, Number(entry & OFFSET));
  }, 0);
}

/** Bytes of the file that hold the L1 table. */
export const l1TableBytes = (header: Qcow2Header): number => header.l1Entries * 8;

/** Bytes of one L2 table: always one cluster. */
export const l2TableBytes = (header: Qcow2Header): number => clusterBytes(header);

function words(table: Uint8Array, stride: number): bigint[] {
  const bytes = Buffer.from(table.buffer, table.byteOffset, table.byteLength);
  return Array.from({ length: Math.floor(bytes.length / stride) }, (_, i) =>
    bytes.readBigUInt64BE(i * stride),
  );
}
