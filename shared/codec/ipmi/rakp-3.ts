/**
 * RAKP message 3 (IPMI 2.0 section 13.22): the console proves that it knows the password. With a status other
 * than 0 and no code it tells the BMC to drop the half-open session.
 *
 *   | tag | status | 0 0 | BMC session id, 4 LE | key exchange code |
 */
import { type Decoded, good, short } from './decoded.ts';

export interface Rakp3 {
  readonly tag: number;
  readonly status: number;
  readonly bmcSessionId: number;
  /** Empty if `status` is not 0. */
  readonly authCode: Buffer;
}

const FIXED_BYTES = 8;

export function encodeRakp3(message: Rakp3): Buffer {
  const head = Buffer.alloc(FIXED_BYTES);
  head[0] = message.tag;
  head[1] = message.status;
  head.writeUInt32LE(message.bmcSessionId, 4);
  return Buffer.concat([head, message.authCode]);
}

export function decodeRakp3(bytes: Buffer): Decoded<Rakp3> {
  if (bytes.length < FIXED_BYTES) return short('RAKP 3', FIXED_BYTES, bytes.length);
  return good({
    tag: bytes[0]!,
    status: bytes[1]!,
    bmcSessionId: bytes.readUInt32LE(4),
    authCode: bytes.subarray(FIXED_BYTES),
  });
}
