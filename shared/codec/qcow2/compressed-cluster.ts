/**
 * Unpacks a compressed cluster of a qcow2 image. The result is never longer than a cluster, whatever the data says.
 *
 * zlib's decoder runs on the thread pool, several clusters at a time. zstd's decoder takes less time than the way there.
 */
import { promisify } from 'node:util';
import { constants, inflateRaw, zstdDecompressSync } from 'node:zlib';
import { BadQcow2 } from './bad-qcow2.ts';
import { clusterBytes, type Qcow2Header } from './header.ts';
import { zstdFrameBytes } from './zstd-frame.ts';

const unpackZlib = promisify(inflateRaw);

/** 8 MiB, the window of zstd's highest usual level; a frame may ask for gigabytes. */
const MAX_ZSTD_WINDOW_BITS = 23;

/** `data` may go on after the compressed data. Throws BadQcow2. */
export async function unpackCluster(
  data: Uint8Array,
  header: Pick<Qcow2Header, 'clusterBits' | 'compressionType'>,
): Promise<Uint8Array> {
  const size = clusterBytes(header);
  const unpacked = header.compressionType === 0 ? await zlibCluster(data, size) : zstdCluster(data, size);
  if (unpacked.length !== size)
    throw new BadQcow2(`a compressed cluster unpacks to ${unpacked.length} instead of ${size} bytes`);
  return unpacked;
}

const zlibCluster = (data: Uint8Array, size: number): Promise<Uint8Array> =>
  unpackZlib(data, { maxOutputLength: size, chunkSize: size }).catch((error: unknown) => {
    throw cannotUnpack(error, size);
  });

/** A cluster may consist of several frames. */
function zstdCluster(data: Uint8Array, size: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let [at, length] = [0, 0];
  while (length < size) {
    const frame = zstdFrameBytes(data.subarray(at));
    if (!frame.ok) throw new BadQcow2(`a compressed cluster cannot be unpacked: ${frame.reason}`);
    const part = unpackFrame(data.subarray(at, at + frame.value), size - length, size);
    if (part.length === 0) throw new BadQcow2('a compressed cluster has an empty zstd frame');
    parts.push(part);
    length += part.length;
    at += frame.value;
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

function unpackFrame(frame: Uint8Array, maxOutputLength: number, size: number): Uint8Array {
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_BITS };
  try {
    return zstdDecompressSync(frame, { maxOutputLength, chunkSize: size, params });
  } catch (error) {
    throw cannotUnpack(error, size);
  }
}

function cannotUnpack(error: unknown, size: number): BadQcow2 {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'ERR_BUFFER_TOO_LARGE' ? `it is more than a cluster of ${size} bytes` : message;
  return new BadQcow2(`a compressed cluster cannot be unpacked: ${reason}`);
}
