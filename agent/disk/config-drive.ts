/**
 * Writes the config drive's file system image to a partition labelled config-2 at the end of the disk.
 *
 * It is written to the whole disk at the partition's offset, because the kernel may not know the partition yet.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { Run } from '../exec/run.ts';
import { formatBytes } from './byte-size.ts';
import { CONFIG_DRIVE_NAME, placeConfigDrive } from './config-drive-place.ts';
import { moveBackupTable, type Partition, type Partitions, readPartitions } from './partitions.ts';
import { writeFully } from './raw-write.ts';
import { LABEL_HEAD_BYTES, volumeLabel } from './volume-label.ts';

/** Uses the image's own config-2 partition if there is one, otherwise adds a partition. */
export async function writeConfigDrive(run: Run, device: string, data: Buffer): Promise<void> {
  const before = await readPartitions(run, device);
  const handle = await open(device, 'r+');
  try {
    const partition =
      (await findOwn(handle, before)) ?? (await addPartition(run, device, before, data.length));
    if (partition.bytes < data.length) {
      throw new Error(
        `the configdrive is ${formatBytes(data.length)}, but the image's own ${CONFIG_DRIVE_NAME} partition only ${formatBytes(partition.bytes)}`,
      );
    }
    await writeFully(handle, data, partition.start);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Finds the image's own config-2 partition by its name, which only a GPT has, or by the label of its file system. */
async function findOwn(handle: FileHandle, { list }: Partitions): Promise<Partition | undefined> {
  const named = list.find(({ name }) => name === CONFIG_DRIVE_NAME);
  if (named !== undefined) return named;
  const head = Buffer.alloc(LABEL_HEAD_BYTES);
  for (const partition of list) {
    head.fill(0);
    await handle.read(head, 0, Math.min(head.length, partition.bytes), partition.start);
    if (volumeLabel(head)?.toLowerCase() === CONFIG_DRIVE_NAME) return partition;
  }
  return undefined;
}

async function addPartition(
  run: Run,
  device: string,
  before: Partitions,
  driveBytes: number,
): Promise<Partition> {
  const deviceBytes = Number(await run('blockdev', ['--getsize64', device]));
  const sectorBytes = Number(await run('blockdev', ['--getss', device]));
  const place = placeConfigDrive(deviceBytes, driveBytes);
  const [first, sectors] = [place.start / sectorBytes, place.bytes / sectorBytes];
  if (before.kind === 'gpt') {
    await moveBackupTable(run, device);
    const span = `0:${first}:${first + sectors - 1}`;
    await run('sgdisk', ['-n', span, '-t', '0:8300', '-c', `0:${CONFIG_DRIVE_NAME}`, device]);
  } else {
    const line = `start=${first},size=${sectors},type=83\n`;
    await run('sfdisk', ['--append', '--no-reread', '-q', device], { input: line });
  }
  const added = (await readPartitions(run, device)).list.find(({ start }) => start === place.start);
  if (added === undefined)
    throw new Error(
      `a ${CONFIG_DRIVE_NAME} partition was added to ${device} at byte ${place.start}, but the partition table does not contain it`,
    );
  return added;
}
