/**
 * Checks whether an image fits on a disk, from its first bytes and before anything is written. Pure.
 */
import { detectFormat } from '@ingot/shared/codec/image-format.ts';
import { decodeDiskLayout } from '@ingot/shared/codec/image-layout.ts';
import { decodePartitionTable, type PartitionTable } from '@ingot/shared/codec/partition-table.ts';
import { formatBytes } from '../disk/byte-size.ts';
import { CONFIG_DRIVE_NAME, reservedBytes } from '../disk/config-drive-place.ts';
import { ImageError } from './image-error.ts';

export interface CapacityInputs {
  readonly device: string;
  readonly deviceBytes: number;
  /** Logical sectors of the disk. */
  readonly sectorBytes: number;
  /** Size of the written image; null if unknown. */
  readonly imageBytes: number | null;
  /** Size of the config drive; null without one. */
  readonly driveBytes: number | null;
}

/** Formats that cannot be written as they are. ISO 9660 can: a hybrid image also has a partition table. */
const NOT_ON_DISK = new Set(['qcow2', 'vmdk', 'vdi', 'vhdx', 'qed', 'gzip', 'xz', 'zstd', 'bzip2', 'zip']);
const MBR_PARTITIONS = 4;
/** The number of sectors that an MBR can address. */
const MBR_SECTORS = 2 ** 32;

const OTHER_DISK =
  'use a smaller image, or a root device hint (properties.root_device) that names a larger disk';

/** The bytes of the disk that the image may use. Throws ImageError if image and config drive do not fit on the disk. */
export function capacityFor(head: Buffer, inputs: CapacityInputs): number {
  const table = readTable(head, inputs);
  const own = table.partitions.find(({ name }) => name === CONFIG_DRIVE_NAME);
  const { driveBytes } = inputs;
  if (driveBytes !== null && own !== undefined && own.sectors * inputs.sectorBytes < driveBytes) {
    throw new ImageError(
      `the configdrive is ${formatBytes(driveBytes)}, but the image's own ${CONFIG_DRIVE_NAME} partition only ${formatBytes(own.sectors * inputs.sectorBytes)}: use a smaller configdrive or an image with a larger partition`,
    );
  }
  const reserved = driveBytes === null || own !== undefined ? 0 : reservedBytes(driveBytes);
  const room = inputs.deviceBytes - reserved;
  if (reserved > 0 && table.kind === 'mbr') refuseMbr(table, inputs);
  refuseTooLarge(table, inputs, room);
  return room;
}

function readTable(head: Buffer, { device, sectorBytes }: CapacityInputs): PartitionTable {
  const format = detectFormat(head, Buffer.alloc(0));
  if (NOT_ON_DISK.has(format)) {
    throw new ImageError(
      `the image is ${format}, but image_info.disk_format is raw: it would not boot. Correct image_disk_format, or convert the image`,
    );
  }
  const layout = decodeDiskLayout(head);
  if (!layout.ok) throw new ImageError(`the image cannot be written as whole-disk: ${layout.reason}`);
  const table = decodePartitionTable(head, sectorBytes);
  if (table !== undefined) return table;
  throw new ImageError(
    `the image's partition table is not made for the ${sectorBytes}-byte sectors of ${device}: use an image made for this sector size, or another disk`,
  );
}

/** Compares the capacity with the image's size and with the end of its last partition. */
function refuseTooLarge(table: PartitionTable, inputs: CapacityInputs, room: number): void {
  const ends = table.partitions.map(
    ({ firstSector, sectors }) => (firstSector + sectors) * inputs.sectorBytes,
  );
  const needed = Math.max(inputs.imageBytes ?? 0, ...ends);
  if (needed <= room) return;
  const what =
    needed === inputs.imageBytes
      ? `the image is ${formatBytes(needed)}`
      : `the image has partitions up to ${formatBytes(needed)}`;
  const beside =
    room < inputs.deviceBytes
      ? ` beside the configdrive of ${formatBytes(inputs.driveBytes ?? 0)}, which leaves ${formatBytes(Math.max(room, 0))}`
      : '';
  throw new ImageError(
    `${what} and does not fit on ${inputs.device} of ${formatBytes(inputs.deviceBytes)}${beside}: ${OTHER_DISK}`,
  );
}

function refuseMbr(
  { partitions }: PartitionTable,
  { device, deviceBytes, sectorBytes }: CapacityInputs,
): void {
  if (partitions.length >= MBR_PARTITIONS) {
    throw new ImageError(
      `the image has ${MBR_PARTITIONS} MBR partitions already, so there is no room for the configdrive: use an image with a GPT or fewer partitions, or no configdrive`,
    );
  }
  if (deviceBytes > MBR_SECTORS * sectorBytes) {
    throw new ImageError(
      `an MBR cannot hold a configdrive at the end of ${device} of ${formatBytes(deviceBytes)}, beyond ${formatBytes(MBR_SECTORS * sectorBytes)}: use an image with a GPT`,
    );
  }
}
