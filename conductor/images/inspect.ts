/**
 * Checks with our own parser whether an image file may be used, so that no converter has to detect its format.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { detectFormat, type ImageFormat } from '@ingot/shared/codec/image-format.ts';
import { type DiskLayout, decodeDiskLayout, LAYOUT_HEAD_BYTES } from '@ingot/shared/codec/image-layout.ts';
import { decodeQcow2, type Qcow2Header, refuseQcow2 } from '@ingot/shared/codec/qcow2.ts';
import {
  l1TableBytes,
  l2TableBytes,
  l2TableOffsets,
  lastClusterOffset,
} from '@ingot/shared/codec/qcow2-tables.ts';
import { IngotError } from '../domain/errors.ts';

const HEAD_BYTES = LAYOUT_HEAD_BYTES;
const TAIL_BYTES = 512;

export interface InspectedImage {
  readonly format: 'raw' | 'qcow2';
  /** Size of the contained disk in bytes. */
  readonly virtualSize: number;
}

/** Why a file may not be used. */
class Refusal extends Error {}

const refuse = (reason: string): Refusal => new Refusal(reason);

/** `declared` is instance_info.image_disk_format. Throws imageFailure with the reason. */
export async function inspectImage(
  path: string,
  fileBytes: number,
  declared: string | undefined,
): Promise<InspectedImage> {
  try {
    return await examined(path, fileBytes, (file) => inspect(file, fileBytes, declared));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new IngotError(
      'imageFailure',
      `the image was refused: ${error.message}. Give another in instance_info.image_source, with its checksum, and deploy again`,
    );
  }
}

export type Examined =
  | { readonly ok: true; readonly virtualSize: number | null }
  | { readonly ok: false; readonly reason: string };

/**
 * Checks a file against the `disk_format` in Glance. Of formats that cannot be deployed only the signature is checked.
 * Data without a known signature is accepted for formats that have none, and as raw unless its partition table reaches
 * beyond the end of the file.
 */
export async function examineDeclared(path: string, fileBytes: number, declared: string): Promise<Examined> {
  // Glance accepts empty data.
  if (fileBytes === 0 && !NAMED_FORMATS.has(declared)) return { ok: true, virtualSize: 0 };
  try {
    return await examined(path, fileBytes, async (file) => {
      const found = await formatOf(file, fileBytes);
      const named = NAMED_FORMATS.has(found) ? found : 'raw';
      if (NAMED_FORMATS.has(declared) && declared !== named)
        throw refuse(`disk_format says ${declared}, but the data is ${found}`);
      if (declared === 'raw' && named !== 'raw')
        throw refuse(`disk_format says raw, but the data is ${named}`);
      if (declared === 'qcow2') return { ok: true, virtualSize: await completeQcow2(file, fileBytes) };
      if (found !== 'raw' || declared !== 'raw') return { ok: true, virtualSize: null };
      const layout = decodeDiskLayout(await readAt(file, 0, HEAD_BYTES));
      if (layout.ok) checkEnd(layout.value, fileBytes);
      return { ok: true, virtualSize: fileBytes };
    });
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Disk formats of Glance that have a signature in their first or last bytes. */
const NAMED_FORMATS: ReadonlySet<string> = new Set(['qcow2', 'vmdk', 'vdi', 'vhd', 'vhdx', 'iso']);

async function examined<T>(
  path: string,
  fileBytes: number,
  look: (file: FileHandle) => Promise<T>,
): Promise<T> {
  if (fileBytes === 0) throw refuse('it is empty');
  const file = await open(path, 'r');
  try {
    return await look(file);
  } finally {
    await file.close();
  }
}

async function formatOf(file: FileHandle, fileBytes: number): Promise<ImageFormat> {
  const head = await readAt(file, 0, HEAD_BYTES);
  return detectFormat(head, await readAt(file, Math.max(0, fileBytes - TAIL_BYTES), TAIL_BYTES));
}

async function inspect(
  file: FileHandle,
  fileBytes: number,
  declared: string | undefined,
): Promise<InspectedImage> {
  const format = await formatOf(file, fileBytes);
  if (format !== 'raw' && format !== 'qcow2')
    throw refuse(`it is ${format}; raw and qcow2 images can be deployed`);
  if (declared !== undefined && declared !== format)
    throw refuse(`instance_info.image_disk_format says ${declared}, but the file is ${format}`);
  if (format === 'raw') {
    checkDisk(await readAt(file, 0, HEAD_BYTES), fileBytes);
    return { format, virtualSize: fileBytes };
  }
  return { format, virtualSize: await completeQcow2(file, fileBytes) };
}

function checkDisk(head: Buffer, fileBytes: number): void {
  const layout = decodeDiskLayout(head);
  if (!layout.ok) throw refuse(layout.reason);
  checkEnd(layout.value, fileBytes);
}

function checkEnd({ kind, endBytes }: DiskLayout, fileBytes: number): void {
  if (endBytes > fileBytes)
    throw refuse(
      `it is ${bytes(fileBytes)}, but its ${kind.toUpperCase()} has partitions up to ${bytes(endBytes)}`,
    );
}

/** Returns the size of the contained disk in bytes. */
async function completeQcow2(file: FileHandle, fileBytes: number): Promise<number> {
  const header = decodeQcow2(await readAt(file, 0, HEAD_BYTES));
  if (!header.ok) throw refuse(`its qcow2 header is bad: ${header.reason}`);
  const reason = refuseQcow2(header.value);
  if (reason !== undefined) throw refuse(reason);
  await checkComplete(file, fileBytes, header.value);
  return header.value.virtualSize;
}

/** Converters read the missing part of a truncated file as zeros, so every table and cluster must be in the file. */
async function checkComplete(file: FileHandle, fileBytes: number, header: Qcow2Header): Promise<void> {
  const cut = (what: string, at: number): Refusal =>
    refuse(`it is ${bytes(fileBytes)}, but its header says that ${what} at ${bytes(at)}`);
  const l1End = header.l1Offset + l1TableBytes(header);
  if (l1End > fileBytes) throw cut('its L1 table ends', l1End);
  for (const offset of l2TableOffsets(await readAt(file, header.l1Offset, l1TableBytes(header)))) {
    const l2End = offset + l2TableBytes(header);
    if (l2End > fileBytes) throw cut('an L2 table ends', l2End);
    const last = lastClusterOffset(await readAt(file, offset, l2TableBytes(header)), header);
    if (last >= fileBytes) throw cut('it holds data', last);
  }
}

const bytes = (count: number): string => `${count.toLocaleString('en-US')} bytes`;

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}
