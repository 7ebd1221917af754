/**
 * Checks whether raw data is a whole-disk image: a GPT or MBR with at least one partition. Also finds the end of the last
 * partition.
 *
 * The boot sector of a FAT or NTFS file system has the same signature as an MBR. It is recognised because the flags of
 * the four entries are program code and not 0x00 or 0x80.
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
  const none = { ok: false, reason: 'it has no partition table, so it is not a whole-disk image' } as const;
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
