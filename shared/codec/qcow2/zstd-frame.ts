/**
 * The length of a zstd frame (RFC 8878), found without decompressing it: qcow2 stores only the number of sectors of a
 * compressed cluster, and zstd's decoder does not accept what follows in the last sector.
 *
 *   magic 4   descriptor 1   window 0-1   dictionary 0-4   content size 0-8   blocks   checksum 0 or 4
 *   block     3 bytes little-endian: bit 0 last, bits 1-2 type (raw, one byte repeated, compressed), size
 *
 * Pure.
 */
import { bad, type Decoded, good } from '../../decoded.ts';

const MAGIC = 0xfd2fb528;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const REPEATED = 1;
const RESERVED = 3;

export function zstdFrameBytes(frame: Uint8Array): Decoded<number> {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.length < 5 || bytes.readUInt32LE(0) !== MAGIC) return bad('it is no zstd frame');
  const descriptor = bytes[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >>> 6;
  const contentSize = sizeFlag === 0 && isSingle ? 1 : CONTENT_SIZE_BYTES[sizeFlag]!;
  let at = 5 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3]! + contentSize;
  for (;;) {
    if (at + 3 > bytes.length) return bad('its zstd frame is cut');
    const block = bytes.readUIntLE(at, 3);
    const type = (block >>> 1) & 3;
    if (type === RESERVED) return bad('its zstd frame has a block of an unknown type');
    at += 3 + (type === REPEATED ? 1 : block >>> 3);
    if ((block & 1) !== 0) break;
  }
  if ((descriptor & 4) !== 0) at += 4;
  return at > bytes.length ? bad('its zstd frame is cut') : good(at);
}
