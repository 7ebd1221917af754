/**
 * Looks at an image file with our own parser and decides whether it may be used. Nothing is ever
 * left to a converter's guess.
 */
import { open } from 'node:fs/promises';
import { detectFormat, hasPartitionTable } from '@ingot/shared/codec/image-format.ts';
import { decodeQcow2, refuseQcow2 } from '@ingot/shared/codec/qcow2.ts';
import { IngotError } from '../domain/errors.ts';

const HEAD_BYTES = 64 * 1024;

export interface InspectedImage {
  readonly format: 'raw' | 'qcow2';
  /** Of the disk inside, bytes. */
  readonly virtualSize: number;
}

const refuse = (reason: string): IngotError =>
  new IngotError('imageFailure', `the image was refused: ${reason}`);

/** `declared` is instance_info.image_disk_format. Throws imageFailure with the reason. */
export async function inspectImage(
  path: string,
  fileBytes: number,
  declared: string | undefined,
): Promise<InspectedImage> {
  const head = await readHead(path);
  const format = detectFormat(head);
  if (format !== 'raw' && format !== 'qcow2')
    throw refuse(`it is ${format}; raw and qcow2 images can be deployed`);
  if (declared !== undefined && declared !== format) {
    throw refuse(`instance_info.image_disk_format says ${declared}, but its first bytes say ${format}`);
  }
  if (format === 'raw') {
    if (fileBytes === 0) throw refuse('it is empty');
    if (!hasPartitionTable(head)) throw refuse('it has no partition table, so it is no whole-disk image');
    return { format, virtualSize: fileBytes };
  }
  const header = decodeQcow2(head);
  if (!header.ok) throw refuse(`its qcow2 header is bad: ${header.reason}`);
  const reason = refuseQcow2(header.value);
  if (reason !== undefined) throw refuse(reason);
  return { format, virtualSize: header.value.virtualSize };
}

async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
