/**
 * Checks with our own parsers whether an image file may be used. Runs in a worker thread (image-worker.ts), because a
 * file may have millions of table entries.
 */
import { detectFormat, type ImageFormat } from '@ingot/shared/codec/image-format.ts';
import { type DiskLayout, decodeDiskLayout, LAYOUT_HEAD_BYTES } from '@ingot/shared/codec/image-layout.ts';
import { BadQcow2 } from '@ingot/shared/codec/qcow2/bad-qcow2.ts';
import { openQcow2, type Qcow2File, qcow2Extents } from '@ingot/shared/codec/qcow2/reader.ts';
import { type ImageFile, withFile } from './image-file.ts';
import { RefusedImage } from './refused-image.ts';

const HEAD_BYTES = LAYOUT_HEAD_BYTES;
const TAIL_BYTES = 512;

export interface InspectedImage {
  readonly format: 'raw' | 'qcow2';
  /** Size of the contained disk in bytes. */
  readonly virtualSize: number;
}

const refuse = (reason: string): RefusedImage => new RefusedImage(reason);

/** `declared` is instance_info.image_disk_format. Throws RefusedImage. */
export function inspectImage(path: string, fileBytes: number, declared?: string): Promise<InspectedImage> {
  return examined(path, fileBytes, (file) => inspect(file, fileBytes, declared));
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
      const found = formatOf(file, fileBytes);
      const named = NAMED_FORMATS.has(found) ? found : 'raw';
      if (NAMED_FORMATS.has(declared) && declared !== named)
        throw refuse(`disk_format says ${declared}, but the data is ${found}`);
      if (declared === 'raw' && named !== 'raw')
        throw refuse(`disk_format says raw, but the data is ${named}`);
      if (declared === 'qcow2') return { ok: true, virtualSize: await completeQcow2(file, fileBytes) };
      if (found !== 'raw' || declared !== 'raw') return { ok: true, virtualSize: null };
      const layout = decodeDiskLayout(file.read(0, HEAD_BYTES));
      if (layout.ok) checkEnd(layout.value, fileBytes);
      return { ok: true, virtualSize: fileBytes };
    });
  } catch (error) {
    if (error instanceof RefusedImage) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Disk formats of Glance that have a signature in their first or last bytes. */
const NAMED_FORMATS: ReadonlySet<string> = new Set(['qcow2', 'vmdk', 'vdi', 'vhd', 'vhdx', 'iso']);

async function examined<T>(
  path: string,
  fileBytes: number,
  look: (file: ImageFile) => Promise<T>,
): Promise<T> {
  if (fileBytes === 0) throw refuse('it is empty');
  try {
    return await withFile(path, look);
  } catch (error) {
    throw error instanceof BadQcow2 ? refuse(error.message) : error;
  }
}

function formatOf(file: ImageFile, fileBytes: number): ImageFormat {
  return detectFormat(file.read(0, HEAD_BYTES), file.read(Math.max(0, fileBytes - TAIL_BYTES), TAIL_BYTES));
}

async function inspect(
  file: ImageFile,
  fileBytes: number,
  declared: string | undefined,
): Promise<InspectedImage> {
  const format = formatOf(file, fileBytes);
  if (format !== 'raw' && format !== 'qcow2')
    throw refuse(`it is ${format}; raw and qcow2 images can be deployed`);
  if (declared !== undefined && declared !== format)
    throw refuse(`instance_info.image_disk_format says ${declared}, but the file is ${format}`);
  if (format === 'raw') {
    checkDisk(file.read(0, HEAD_BYTES), fileBytes);
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

/** Checks the header and all tables. Returns the size of the contained disk in bytes. */
async function completeQcow2(file: ImageFile, fileBytes: number): Promise<number> {
  const source: Qcow2File = { ...file, bytes: fileBytes };
  const header = await openQcow2(source);
  // Converters read the missing part of a truncated file as zeros, so every table and cluster must be in the file.
  for await (const _ of qcow2Extents(source, header));
  return header.virtualSize;
}

const bytes = (count: number): string => `${count.toLocaleString('en-US')} bytes`;
