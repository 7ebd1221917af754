/**
 * RAKP message 4 (IPMI 2.0 section 13.23): the session is open, and the BMC proves that it has the same keys.
 *
 *   | tag | status | 0 0 | console session id, 4 LE | integrity check value |
 */
import { type Decoded, good, short } from './decoded.ts';

export interface Rakp4 {
  readonly tag: number;
  readonly status: number;
  readonly consoleSessionId: number;
  /** Empty if `status` is not 0. */
  readonly checkValue: Buffer;
}

const FIXED_BYTES = 8;

export function encodeRakp4(message: Rakp4): Buffer {
  const head = Buffer.alloc(FIXED_BYTES);
  head[0] = message.tag;
  head[1] = message.status;
  head.writeUInt32LE(message.consoleSessionId, 4);
  return Buffer.concat([head, message.checkValue]);
}

export function decodeRakp4(bytes: Buffer): Decoded<Rakp4> {
  if (bytes.length < FIXED_BYTES) return short('RAKP 4', FIXED_BYTES, bytes.length);
  return good({
    tag: bytes[0]!,
    status: bytes[1]!,
    consoleSessionId: bytes.readUInt32LE(4),
    checkValue: bytes.subarray(FIXED_BYTES),
  });
}
