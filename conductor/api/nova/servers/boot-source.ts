/**
 * The image from which a server boots. Clients may also name it in a block device mapping with a local disk as
 * destination; all other mappings need volumes, which are not supported.
 */
import { IngotError } from '../../../domain/errors.ts';
import type { BlockDevice, CreateServer } from './create-body.ts';

const UNSUPPORTED =
  'Volumes and block device mappings are not supported by bare metal: give an imageRef, or one entry of ' +
  'block_device_mapping_v2 with source_type image, destination_type local and boot_index 0.';

/** Throws invalidParameter. */
export function imageRefOf(server: CreateServer): string {
  const { imageRef = '', block_device_mapping: legacy = [], block_device_mapping_v2: devices = [] } = server;
  if (legacy.length > 0 && devices.length > 0) {
    throw wrong('Using different block_device_mapping syntaxes is not allowed in the same request.');
  }
  if (legacy.length > 0) throw wrong(UNSUPPORTED);
  const [device, ...others] = devices;
  if (device === undefined) {
    if (imageRef === '') throw wrong('Missing imageRef attribute');
    return imageRef;
  }
  const mapped = localImageOf(device);
  if (others.length > 0 || mapped === undefined) throw wrong(UNSUPPORTED);
  if (imageRef !== '' && imageRef !== mapped) {
    throw wrong('The imageRef and the image of block_device_mapping_v2 are not the same.');
  }
  return mapped;
}

function localImageOf(device: BlockDevice): string | undefined {
  const isLocalImage =
    device.source_type === 'image' &&
    device.destination_type === 'local' &&
    Number(device.boot_index ?? 0) === 0;
  return isLocalImage ? (device.uuid ?? device.image_id) : undefined;
}

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);
