/**
 * Reads the partition table of a disk, and makes the kernel read it again.
 *
 * The table is parsed here because the ramdisk has no udev, and without it lsblk knows neither types nor names.
 */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePartitionTable, TABLE_SECTORS } from '@ingot/shared/codec/partition-table.ts';
import type { Run } from '../exec/run.ts';

export interface Partition {
  readonly path: string;
  readonly number: number;
  /** Byte offset on the disk. */
  readonly start: number;
  readonly bytes: number;
  /** GPT type GUID, or `0xef` of an MBR. */
  readonly type: string;
  /** GPT name. */
  readonly name: string | null;
  readonly uuid: string;
}

export interface Partitions {
  /** undefined: no partition table. */
  readonly kind: 'gpt' | 'mbr' | undefined;
  readonly list: readonly Partition[];
}

export const ESP_TYPES: readonly string[] = ['c12a7328-f81f-11d2-ba4b-00a0c93ec93b', '0xef'];

const TRIES = 20;
const RETRY_MS = 250;

export async function readPartitions(run: Run, device: string): Promise<Partitions> {
  const sectorBytes = Number(await run('blockdev', ['--getss', device]));
  const head = Buffer.alloc(TABLE_SECTORS * sectorBytes);
  const handle = await open(device, 'r');
  try {
    await handle.read(head, 0, head.length, 0);
  } finally {
    await handle.close();
  }
  const table = decodePartitionTable(head, sectorBytes);
  const list = (table?.partitions ?? []).map(({ number, type, name, uuid, firstSector, sectors }) => ({
    path: partitionPath(device, number),
    number,
    start: firstSector * sectorBytes,
    bytes: sectors * sectorBytes,
    type,
    name,
    uuid,
  }));
  return { kind: table?.kind, list };
}

/**
 * Moves the backup GPT from the end of the written image to the end of the disk, where firmware and kernel expect it.
 */
export async function moveBackupTable(run: Run, device: string): Promise<void> {
  const { kind } = await readPartitions(run, device);
  if (kind === 'gpt') await run('sgdisk', ['-e', device]);
}

/** `/dev/sda1`, `/dev/nvme0n1p1`. */
export const partitionPath = (device: string, number: number): string =>
  `${device}${/\d$/.test(device) ? 'p' : ''}${number}`;

/** Makes the kernel read the table again and waits until it knows every partition. */
export async function rereadPartitions(run: Run, device: string): Promise<Partitions> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run('blockdev', ['--rereadpt', device]);
      const partitions = await readPartitions(run, device);
      const missing = partitions.list.find(({ path }) => !existsSync(`/sys/class/block/${basename(path)}`));
      if (missing === undefined) return partitions;
      throw new Error(`the kernel does not show ${missing.path}`);
    } catch (error) {
      // A disk may still be busy shortly after it was written.
      if (tries === TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}
