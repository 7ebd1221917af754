/**
 * Writing an instance: choose the disk, write the image, then the config drive.
 */
import { parseImageInfo } from '@ingot/shared/agent/image-info.ts';
import { readConfigDrive, writeConfigDrive } from '../disk/config-drive.ts';
import { eraseMetadata } from '../disk/metadata.ts';
import { rereadPartitions } from '../disk/partitions.ts';
import { chooseRootDevice, hintsOf } from '../disk/root-device.ts';
import { writeImage } from '../image/write.ts';
import type { CommandContext } from './hardware.ts';
import { rememberRootDevice } from './written-disk.ts';

/** `image (id) written to device /dev/x root_uuid=…`, as ironic-python-agent answers. */
export async function deployImage(
  context: CommandContext,
  imageInfo: unknown,
  configdrive: unknown,
): Promise<string> {
  const { hardware, signal } = context;
  const { run, log, config } = hardware;
  const image = parseImageInfo(imageInfo);
  if (typeof image === 'string') throw new Error(image);
  if (image.diskFormat !== 'raw' || image.imageType !== 'whole-disk') {
    throw new Error(
      `image ${image.id} is ${image.diskFormat}, ${image.imageType}; this agent writes raw whole-disk images, which the conductor makes of others`,
    );
  }
  // Everything that can be wrong with the request is found before the disk is touched.
  const drive =
    typeof configdrive === 'string' && configdrive !== '' ? await readConfigDrive(configdrive, signal) : null;
  const disk = chooseRootDevice(await hardware.listDisks(), hintsOf(context.node));
  const room = disk.size - (drive?.length ?? 0);
  log.info(`writing image ${image.id} to ${disk.name}`);
  const rawBytes = image.download.rawBytes;
  if (rawBytes === null || rawBytes <= room) await eraseMetadata(run, disk);
  const written = await writeImage({
    download: image.download,
    device: disk.name,
    deviceBytes: room,
    fetch: {
      retries: config.downloadRetries,
      retryMs: config.downloadRetrySeconds * 1000,
      timeoutMs: config.downloadTimeoutSeconds * 1000,
      signal,
      onRetry: (text) => log.warn(text),
    },
    onProgress: context.progress,
  });
  log.info(`wrote ${written.bytes} bytes in ${written.seconds.toFixed(1)} s`);
  if ((await rereadPartitions(run, disk.name)).list.length === 0) {
    throw new Error(
      `image ${image.id} was written to ${disk.name}, but the kernel finds no partition on it: is it a whole-disk image?`,
    );
  }
  if (drive !== null) {
    await writeConfigDrive(run, disk.name, drive);
    log.info(`config drive of ${drive.length} bytes written`);
  }
  rememberRootDevice(disk.name);
  return `image (${image.id}) written to device ${disk.name} root_uuid=None`;
}
