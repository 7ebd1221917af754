/**
 * Reads the disk inside a qcow2 image (version 2 and 3; compressed with zlib or zstd; with subclusters). Snapshots in
 * the image are passed over.
 *
 * The file is not believed: every table is read at most once, every cluster is used at most once, and a compressed
 * cluster unpacks to one cluster, so the work is limited by the size of the file and the virtual size. All failures of
 * the image are BadQcow2.
 */
import { BadQcow2, byteCount } from './bad-qcow2.ts';
import { createClusterClaims } from './cluster-claims.ts';
import { unpackCluster } from './compressed-cluster.ts';
import {
  clusterBytes,
  decodeQcow2,
  l2Span,
  neededL1Entries,
  QCOW2_HEAD_BYTES,
  type Qcow2Header,
  refuseQcow2,
} from './header.ts';
import { type Extent, extentsOf } from './l2-table.ts';

export interface Qcow2File {
  /** Size of the file. */
  readonly bytes: number;
  /** Returns fewer bytes only at the end of the file. */
  read(at: number, length: number): Uint8Array | Promise<Uint8Array>;
}

/** Data of the disk. What lies between two pieces, and after the last one, is zeros. */
export interface DiskPiece {
  readonly at: number;
  readonly data: Uint8Array;
}

const L1_PART_BYTES = 64 * 1024;
/** Longest piece; an unpacked cluster has up to 2 MiB. */
const PIECE_BYTES = 1024 * 1024;
/** So much data is read and unpacked ahead. */
const AHEAD_BYTES = 4 * 1024 * 1024;
const AHEAD_PIECES = 8;

/** `maxBytes` limits the virtual size. Throws BadQcow2. */
export async function openQcow2(file: Qcow2File, maxBytes = Number.MAX_SAFE_INTEGER): Promise<Qcow2Header> {
  const header = decodeQcow2(await file.read(0, Math.min(file.bytes, QCOW2_HEAD_BYTES)));
  if (!header.ok) throw new BadQcow2(`its qcow2 header is bad: ${header.reason}`);
  const reason = refuseQcow2(header.value);
  if (reason !== undefined) throw new BadQcow2(reason);
  if (header.value.virtualSize > maxBytes)
    throw new BadQcow2(
      `it contains a disk of ${byteCount(header.value.virtualSize)}; the limit is ${byteCount(maxBytes)}`,
    );
  return header.value;
}

/** The stored parts of the disk in ascending order, and with them a check of all tables. Throws BadQcow2. */
export async function* qcow2Extents(file: Qcow2File, header: Qcow2Header): AsyncGenerator<Extent> {
  const cut = (what: string, at: number): BadQcow2 =>
    new BadQcow2(`it is ${byteCount(file.bytes)}, but its header says that ${what} at ${byteCount(at)}`);
  const size = clusterBytes(header);
  const claim = createClusterClaims(file.bytes, size);
  const l1End = header.l1Offset + neededL1Entries(header) * 8;
  if (l1End > file.bytes) throw cut('its L1 table ends', l1End);
  claim(0);
  for (let at = header.l1Offset; at < l1End; at += size) claim(at);

  for await (const { index, fileAt } of l2Tables(file, header)) {
    if (fileAt + size > file.bytes) throw cut('an L2 table ends', fileAt + size);
    if (fileAt % size !== 0)
      throw new BadQcow2(`an L2 table does not begin where a cluster does (${byteCount(fileAt)})`);
    claim(fileAt);
    const l2 = bufferOf(await file.read(fileAt, size));
    for (const extent of extentsOf(l2, header, index * l2Span(header), PIECE_BYTES, claim)) {
      const { isCompressed } = extent;
      const end = extent.fileAt + (isCompressed ? 1 : extent.fileBytes);
      if (end > file.bytes) throw cut('its data ends', end);
      yield extent;
    }
  }
}

/** The L2 tables that the L1 table names, with their numbers. */
async function* l2Tables(
  file: Qcow2File,
  header: Qcow2Header,
): AsyncGenerator<{ readonly index: number; readonly fileAt: number }> {
  const bytes = neededL1Entries(header) * 8;
  for (let from = 0; from < bytes; from += L1_PART_BYTES) {
    const part = bufferOf(await file.read(header.l1Offset + from, Math.min(L1_PART_BYTES, bytes - from)));
    for (let at = 0; at + 8 <= part.length; at += 8) {
      const fileAt =
        (part.readUInt32BE(at) & 0x00ff_ffff) * 2 ** 32 + (part.readUInt32BE(at + 4) >>> 9) * 512;
      if (fileAt !== 0) yield { index: (from + at) / 8, fileAt };
    }
  }
}

/** The data of the disk in ascending order. Throws BadQcow2. */
export async function* qcow2Data(file: Qcow2File, header: Qcow2Header): AsyncGenerator<DiskPiece> {
  const ahead: Promise<DiskPiece>[] = [];
  let aheadBytes = 0;
  const next = async (): Promise<DiskPiece> => {
    const piece = await ahead.shift()!;
    aheadBytes -= piece.data.length;
    return piece;
  };
  for await (const extent of qcow2Extents(file, header)) {
    const piece = loaded(file, header, extent);
    // A failure is thrown when its turn comes, or not at all if an earlier one is.
    piece.catch(() => undefined);
    ahead.push(piece);
    aheadBytes += extent.bytes;
    while (ahead.length >= AHEAD_PIECES || aheadBytes >= AHEAD_BYTES) yield await next();
  }
  while (ahead.length > 0) yield await next();
}

async function loaded(file: Qcow2File, header: Qcow2Header, extent: Extent): Promise<DiskPiece> {
  const { isCompressed, at, bytes, fileAt } = extent;
  const fileBytes = Math.min(extent.fileBytes, file.bytes - fileAt);
  const stored = await file.read(fileAt, fileBytes);
  if (stored.length !== fileBytes)
    throw new BadQcow2(`it ends at ${byteCount(fileAt + stored.length)}, and was longer before`);
  if (!isCompressed) return { at, data: stored };
  return { at, data: (await unpackCluster(stored, header)).subarray(0, bytes) };
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
