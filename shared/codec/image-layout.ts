/**
 * Whether raw bytes are a whole disk: a GPT or MBR with at least one partition, and how far those reach.
 *
 * The boot sector of a FAT or NTFS file system ends in the same two bytes as an MBR; there the flags of
 * the four entries are program text and not 0x00 or 0x80.
 */

import type { Decoded } from '../decoded.ts';
import { decodePartitionTable, type PartitionTable, TABLE_SECTORS } from './partition-table.ts';

export interface DiskLayout {
  readonly kind: PartitionTable['kind'];
  /** First byte after the last partition. */
  readonly endBytes: number;
}

const SECTOR_BYTES = [512, 4096] as const;
export const LAYOUT_HEAD_BYTES = TABLE_SECTORS * 4096;

export function decodeDiskLayout(head: Uint8Array): Decoded<DiskLayout> {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const none = { ok: false, reason: 'it has no partition table, so it is no whole-disk image' } as const;
  if (bytes.length < 512 || ![446, 462, 478, 494].every((at) => (bytes[at]! & 0x7f) === 0)) return none;
  for (const sectorBytes of SECTOR_BYTES) {
    const table = decodePartitionTable(bytes, sectorBytes);
    if (table === undefined) continue;
    if (table.partitions.length === 0) return { ok: false, reason: 'its partition table is empty' };
    const ends = table.partitions.map(({ firstSector, sectors }) => (firstSector + sectors) * sectorBytes);
    return { ok: true, value: { kind: table.kind, endBytes: Math.max(...ends) } };
  }
  return none;
}
