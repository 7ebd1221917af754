/**
 * The clean steps that erase every disk of the machine, except those in properties.skip_block_devices.
 *
 * When a disk fails, the others are still erased. The step then fails and lists all failed disks. Its result lists the
 * erased disks, which the conductor compares with those that it knows.
 */
import { encodeEraseReport } from '@ingot/shared/agent/erase-report.ts';
import type { JsonObject } from '@ingot/shared/json.ts';
import { eraseDisk, eraseMetadata, stopRaid } from '../disk/metadata.ts';
import { withoutSkipped } from '../disk/skip-list.ts';
import type { Disk } from '../inventory/disks.ts';
import type { CommandContext } from './hardware.ts';

export async function eraseDevicesMetadata(context: CommandContext): Promise<JsonObject> {
  const { hardware } = context;
  const disks = await ownDisks(context);
  await stopRaid(hardware.run);
  // Read-only disks are usually virtual media of the BMC. erase_devices fails on them, since their data stays.
  const writable = disks.filter(({ readOnly }) => !readOnly);
  for (const { name } of disks.filter((disk) => !writable.includes(disk)))
    hardware.log.warn(`${name} is read-only: its metadata is not erased`);
  await each('erase_devices_metadata', writable, async (disk) => {
    hardware.log.info(`erasing the metadata of ${disk.name}`);
    await eraseMetadata(hardware.run, disk);
  });
  return encodeEraseReport(writable);
}

export async function eraseDevices(context: CommandContext): Promise<JsonObject> {
  const { hardware, progress } = context;
  const disks = await ownDisks(context);
  const total = disks.reduce((sum, disk) => sum + disk.size, 0);
  let done = 0;
  await each('erase_devices', disks, async (disk) => {
    hardware.log.info(`erasing ${disk.name}, ${disk.size} bytes`);
    progress({ phase: `erase ${disk.name}`, bytesDone: done, bytesTotal: total, bytesPerSecond: null });
    done += disk.size;
    await eraseDisk(hardware.run, disk);
  });
  return encodeEraseReport(disks);
}

async function ownDisks({ hardware, node }: CommandContext): Promise<Disk[]> {
  const all = await hardware.listDisks();
  const disks = withoutSkipped(all, node);
  for (const { name } of all.filter((disk) => !disks.includes(disk)))
    hardware.log.warn(`${name} is skipped (properties.skip_block_devices)`);
  return disks;
}

async function each(
  step: string,
  disks: readonly Disk[],
  work: (disk: Disk) => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  for (const disk of disks) {
    await work(disk).catch((error: unknown) => {
      failures.push(`${disk.name} (serial ${disk.serial ?? 'unknown'}): ${(error as Error).message}`);
    });
  }
  if (failures.length === 0) return;
  throw new Error(
    `${step} failed on ${failures.length} of ${disks.length} disks: ${failures.join('; ')}. Replace these disks, or list them in properties.skip_block_devices`,
  );
}
