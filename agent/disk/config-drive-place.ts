/**
 * Where a config drive goes: into whole MiB at the end of the disk, where the image's own partitions can
 * still grow up to it. Pure, so that the room it takes is known before the image is written.
 */
export const CONFIG_DRIVE_NAME = 'config-2';

const MEBI = 1024 * 1024;
/** The backup GPT lies behind it: 33 sectors by default, more with a longer table. */
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

/** What the image may not use at the end of any disk: the drive, the backup GPT and what is no whole MiB. */
export const reservedBytes = (driveBytes: number): number =>
  placeConfigDrive(0, driveBytes).bytes + BACKUP_BYTES + MEBI;
