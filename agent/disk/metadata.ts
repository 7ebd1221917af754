/**
 * Erases disks: only their metadata, which takes seconds, or all data.
 */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Run } from '../exec/run.ts';
import type { Disk } from '../inventory/disks.ts';
import { readPartitions, rereadPartitions } from './partitions.ts';
import { wipeEnds } from './raw-write.ts';

const ERASE_TIMEOUT_MS = 24 * 3_600_000;
const SAMPLES = 64;
const SAMPLE_BYTES = 4096;

/** Erases the signatures of RAID members and file systems, and both ends of the disk with their partition tables. */
export async function eraseMetadata(run: Run, disk: Disk): Promise<void> {
  refuseReadOnly(disk);
  for (const { path } of (await readPartitions(run, disk.name)).list) {
    if (existsSync(path)) await run('wipefs', ['-af', path]);
  }
  await run('wipefs', ['-af', disk.name]);
  await wipeEnds(disk.name, disk.size);
  await rereadPartitions(run, disk.name);
}

/**
 * Makes every block read as zero and checks samples. For `blkdiscard -z` the kernel lets the device zero the blocks if
 * it can, and writes zeros otherwise.
 */
export async function eraseDisk(run: Run, disk: Disk): Promise<void> {
  refuseReadOnly(disk);
  await run('blkdiscard', ['-z', '-f', disk.name], { timeoutMs: ERASE_TIMEOUT_MS });
  await verifyZero(disk);
}

async function verifyZero(disk: Disk): Promise<void> {
  const handle = await open(disk.name, 'r');
  try {
    const sample = Buffer.alloc(SAMPLE_BYTES);
    for (let i = 0; i < SAMPLES; i += 1) {
      const offset =
        Math.floor(((disk.size - SAMPLE_BYTES) * i) / (SAMPLES - 1) / SAMPLE_BYTES) * SAMPLE_BYTES;
      await handle.read(sample, 0, SAMPLE_BYTES, offset);
      if (sample.some((byte) => byte !== 0)) {
        throw new Error(
          `${disk.name} was erased but still holds data at byte ${offset}: do not let anybody else use this disk`,
        );
      }
    }
  } finally {
    await handle.close();
  }
}

function refuseReadOnly(disk: Disk): void {
  if (disk.readOnly) throw new Error(`${disk.name} is read-only and cannot be erased`);
}

/** Stops the RAID arrays of an earlier user, because they keep their disks busy. */
export async function stopRaid(run: Run): Promise<void> {
  await run('mdadm', ['--stop', '--scan']);
}
