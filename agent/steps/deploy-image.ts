/**
 * Deploys an image: chooses the disk, writes the image, then the config drive.
 *
 * The whole request is checked before anything is written to the disk.
 */
import { decodeImageInfo, type ImageInfo } from '@ingot/shared/agent/image-info.ts';
import { writeConfigDrive } from '../disk/config-drive.ts';
import { eraseMetadata } from '../disk/metadata.ts';
import { moveBackupTable, rereadPartitions } from '../disk/partitions.ts';
import { chooseRootDevice, hintsOf } from '../disk/root-device.ts';
import { withoutSkipped } from '../disk/skip-list.ts';
import { capacityFor } from '../image/capacity-check.ts';
import { readConfigDrive } from '../image/config-drive-source.ts';
import type { FetchSettings } from '../image/fetch.ts';
import { writeImage } from '../image/write.ts';
import { imageConnector } from '../pinned-connect.ts';
import type { CommandContext } from './hardware.ts';

/** Long enough for large images over slow lines. The conductor's own timeout is usually shorter. */
const TRANSFER_DEADLINE_MS = 6 * 3_600_000;

/** `image (id) written to device /dev/x root_uuid=…`, as ironic-python-agent answers. */
export async function deployImage(
  context: CommandContext,
  imageInfo: unknown,
  configdrive: unknown,
): Promise<string> {
  const { hardware, signal } = context;
  const { run, log } = hardware;
  const image = readImageInfo(imageInfo);
  const drive =
    typeof configdrive === 'string' && configdrive !== '' ? await readConfigDrive(configdrive, signal) : null;
  const disk = chooseRootDevice(
    withoutSkipped(await hardware.listDisks(), context.node),
    hintsOf(context.node),
  );
  const { name: device, size: deviceBytes, logical_sectors: sectorBytes } = disk;
  log.info(`writing image ${image.id} to ${device}`);
  const written = await writeImage({
    download: image.download,
    device,
    deviceBytes,
    check: (head, imageBytes) =>
      capacityFor(head, { device, deviceBytes, sectorBytes, imageBytes, driveBytes: drive?.length ?? null }),
    clear: () => eraseMetadata(run, disk),
    fetch: fetchSettings(context),
    onProgress: context.progress,
  });
  log.info(`wrote ${written.bytes} bytes in ${written.seconds.toFixed(1)} s`);
  await moveBackupTable(run, device);
  if (drive !== null) {
    await writeConfigDrive(run, device, drive);
    log.info(`config drive of ${drive.length} bytes written`);
  }
  await rereadPartitions(run, device);
  hardware.written.device = device;
  return `image (${image.id}) written to device ${device} root_uuid=None`;
}

function readImageInfo(imageInfo: unknown): ImageInfo {
  const decoded = decodeImageInfo(imageInfo);
  if (!decoded.ok) throw new Error(decoded.reason);
  const image = decoded.value;
  if (image.diskFormat === 'raw' && image.imageType === 'whole-disk') return image;
  throw new Error(
    `image ${image.id} is ${image.diskFormat}, ${image.imageType} (image_info.disk_format, image_type); this agent writes only raw whole-disk images: let the conductor convert the image`,
  );
}

function fetchSettings({ hardware, signal }: CommandContext): FetchSettings {
  const { config, log } = hardware;
  return {
    retries: config.downloadRetries,
    retryMs: config.downloadRetrySeconds * 1000,
    timeoutMs: config.downloadTimeoutSeconds * 1000,
    deadlineMs: TRANSFER_DEADLINE_MS,
    connect: imageConnector(hardware.trust, config.downloadTimeoutSeconds * 1000),
    signal,
    onRetry: (text) => log.warn(text),
  };
}
