/**
 * Decodes partition tables: MBR (four primary entries) and GPT (UEFI 2.10 section 5.3).
 *
 * Pure; needs the first sectors of a disk. The backup GPT is not read, because after an image was written it is still at
 * the end of the image instead of the end of the disk.
 */
export interface TablePartition {
  readonly number: number;
  /** GPT type GUID, or `0x83` of an MBR; lower case. */
  readonly type: string;
  /** GPT name. */
  readonly name: string | null;
  /** GPT partition GUID, or `<disk id>-<number>` of an MBR. */
  readonly uuid: string;
  readonly firstSector: number;
  readonly sectors: number;
}

export interface PartitionTable {
  readonly kind: 'gpt' | 'mbr';
  readonly partitions: readonly TablePartition[];
}

/** The number of sectors that decodePartitionTable needs, for sectors of 512 and 4096 bytes. */
export const TABLE_SECTORS = 34;

const SIGNATURE = 0xaa55;
const PROTECTIVE = 0xee;
const GPT_MAGIC = 'EFI PART';
const MAX_ENTRIES = 128;
const NO_TYPE = '00000000-0000-0000-0000-000000000000';

/** undefined when there is none. */
export function decodePartitionTable(head: Buffer, sectorBytes: number): PartitionTable | undefined {
  if (head.length < 512 || head.readUInt16LE(510) !== SIGNATURE) return undefined;
  const entries = [0, 1, 2, 3].map((i) => head.subarray(446 + 16 * i, 462 + 16 * i));
  if (entries.some((entry) => entry[4] === PROTECTIVE)) return decodeGpt(head, sectorBytes);
  const disk = head.readUInt32LE(440).toString(16).padStart(8, '0');
  const partitions = entries
    .map((entry, i) => ({
      number: i + 1,
      type: `0x${(entry[4] ?? 0).toString(16)}`,
      name: null,
      uuid: `${disk}-${String(i + 1).padStart(2, '0')}`,
      firstSector: entry.readUInt32LE(8),
      sectors: entry.readUInt32LE(12),
    }))
    .filter(({ type, sectors }) => type !== '0x0' && sectors > 0);
  return { kind: 'mbr', partitions };
}

function decodeGpt(head: Buffer, sectorBytes: number): PartitionTable | undefined {
  const header = head.subarray(sectorBytes, sectorBytes + 92);
  if (header.length < 92 || header.toString('latin1', 0, 8) !== GPT_MAGIC) return undefined;
  const start = Number(header.readBigUInt64LE(72)) * sectorBytes;
  const count = Math.min(header.readUInt32LE(80), MAX_ENTRIES);
  const size = header.readUInt32LE(84);
  if (size < 128 || start + count * size > head.length) return undefined;
  const partitions = Array.from({ length: count }, (_, i) =>
    gptEntry(head.subarray(start + i * size, start + (i + 1) * size), i + 1),
  );
  return { kind: 'gpt', partitions: partitions.filter(({ type }) => type !== NO_TYPE) };
}

function gptEntry(entry: Buffer, number: number): TablePartition {
  const firstSector = Number(entry.readBigUInt64LE(32));
  return {
    number,
    type: guid(entry.subarray(0, 16)),
    uuid: guid(entry.subarray(16, 32)),
    firstSector,
    sectors: Number(entry.readBigUInt64LE(40)) - firstSector + 1,
    name: entry.toString('utf16le', 56, 128).replace(/\0.*$/s, ''),
  };
}

/** The first three groups are little-endian. */
function guid(bytes: Buffer): string {
  const swapped = (from: number, to: number): string =>
    Buffer.from(bytes.subarray(from, to)).reverse().toString('hex');
  return [
    swapped(0, 4),
    swapped(4, 6),
    swapped(6, 8),
    bytes.toString('hex', 8, 10),
    bytes.toString('hex', 10, 16),
  ].join('-');
}
