/**
 * Whether an image goes onto a disk, judged by its first bytes before anything is written. Pure.
 */
import { detectFormat } from '@ingot/shared/codec/image-format.ts';
import { decodeDiskLayout } from '@ingot/shared/codec/image-layout.ts';
import { decodePartitionTable, type PartitionTable } from '@ingot/shared/codec/partition-table.ts';
import { formatBytes } from '../disk/byte-size.ts';
import { CONFIG_DRIVE_NAME, reservedBytes } from '../disk/config-drive-place.ts';
import { ImageError } from './image-error.ts';

export interface Fit {
  readonly device: string;
  readonly deviceBytes: number;
  /** Logical sectors of the disk. */
  readonly sectorBytes: number;
  /** On the disk; null when nobody said it. */
  readonly imageBytes: number | null;
  /** null without a config drive. */
  readonly driveBytes: number | null;
}

/** ISO 9660 is not among them: a hybrid image also carries a partition table and boots from a disk. */
const NOT_ON_DISK = new Set(['qcow2', 'vmdk', 'vdi', 'vhdx', 'qed', 'gzip', 'xz', 'zstd', 'bzip2', 'zip']);
const MBR_SLOTS = 4;
/** Sectors an MBR can count. */
const MBR_SECTORS = 2 ** 32;

const OTHER_DISK =
  'use a smaller image, or a root device hint (properties.root_device) that names a larger disk';

/** Bytes of the disk the image may take. Throws ImageError when image, config drive and disk do not go together. */
export function roomFor(head: Buffer, fit: Fit): number {
  const table = readTable(head, fit);
  const own = table.partitions.find(({ name }) => name === CONFIG_DRIVE_NAME);
  const { driveBytes } = fit;
  if (driveBytes !== null && own !== undefined && own.sectors * fit.sectorBytes < driveBytes) {
    throw new ImageError(
      `the configdrive is ${formatBytes(driveBytes)}, but the image's own ${CONFIG_DRIVE_NAME} partition only ${formatBytes(own.sectors * fit.sectorBytes)}: make either fit`,
    );
  }
  const reserved = driveBytes === null || own !== undefined ? 0 : reservedBytes(driveBytes);
  const room = fit.deviceBytes - reserved;
  if (reserved > 0 && table.kind === 'mbr') refuseMbr(table, fit);
  refuseTooLarge(table, fit, room);
  return room;
}

function readTable(head: Buffer, { device, sectorBytes }: Fit): PartitionTable {
  const format = detectFormat(head, Buffer.alloc(0));
  if (NOT_ON_DISK.has(format)) {
    throw new ImageError(
      `the image is ${format}, though image_info.disk_format calls it raw: it would not boot. Correct image_disk_format, or convert the image`,
    );
  }
  const layout = decodeDiskLayout(head);
  if (!layout.ok) throw new ImageError(`the image cannot be written as whole-disk: ${layout.reason}`);
  const table = decodePartitionTable(head, sectorBytes);
  if (table !== undefined) return table;
  throw new ImageError(
    `the image's partition table is not made for the ${sectorBytes}-byte sectors of ${device}: use an image made for these, or a disk with others`,
  );
}

/** By what the image says of its size, and by where its last partition ends. */
function refuseTooLarge(table: PartitionTable, fit: Fit, room: number): void {
  const ends = table.partitions.map(({ firstSector, sectors }) => (firstSector + sectors) * fit.sectorBytes);
  const needed = Math.max(fit.imageBytes ?? 0, ...ends);
  if (needed <= room) return;
  const what =
    needed === fit.imageBytes
      ? `the image is ${formatBytes(needed)}`
      : `the image has partitions up to ${formatBytes(needed)}`;
  const beside =
    room < fit.deviceBytes
      ? ` beside the configdrive of ${formatBytes(fit.driveBytes ?? 0)}, which leaves ${formatBytes(Math.max(room, 0))}`
      : '';
  throw new ImageError(
    `${what} and does not fit on ${fit.device} of ${formatBytes(fit.deviceBytes)}${beside}: ${OTHER_DISK}`,
  );
}

function refuseMbr({ partitions }: PartitionTable, { device, deviceBytes, sectorBytes }: Fit): void {
  if (partitions.length >= MBR_SLOTS) {
    throw new ImageError(
      `the image has ${MBR_SLOTS} MBR partitions already, so there is no room for the configdrive: use an image with a GPT or fewer partitions, or no configdrive`,
    );
  }
  if (deviceBytes > MBR_SECTORS * sectorBytes) {
    throw new ImageError(
      `an MBR cannot hold a configdrive at the end of ${device} of ${formatBytes(deviceBytes)}, beyond ${formatBytes(MBR_SECTORS * sectorBytes)}: use an image with a GPT`,
    );
  }
}
