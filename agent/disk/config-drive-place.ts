/**
 * The position of a config drive: whole MiB at the end of the disk, so that the partitions of the image can still grow.
 * Pure, so that the space it needs is known before the image is written.
 */
export const CONFIG_DRIVE_NAME = 'config-2';

const MEBI = 1024 * 1024;
/** Space for the backup GPT after the config drive: 33 sectors by default, more for a longer table. */
const BACKUP_BYTES = MEBI;

/** Byte offsets on the disk. */
export interface Place {
  readonly start: number;
  readonly bytes: number;
}

export function placeConfigDrive(deviceBytes: number, driveBytes: number): Place {
  const bytes = Math.max(1, Math.ceil(driveBytes / MEBI)) * MEBI;
  return { start: Math.floor((deviceBytes - BACKUP_BYTES - bytes) / MEBI) * MEBI, bytes };
}

/** Bytes at the end of any disk that the image must leave free: config drive, backup GPT and an incomplete MiB. */
export const reservedBytes = (driveBytes: number): number =>
  placeConfigDrive(0, driveBytes).bytes + BACKUP_BYTES + MEBI;
