/**
 * RAKP message 1 (IPMI 2.0 section 13.20): the console names the user and gives its random number.
 *
 *   | tag | 0 0 0 | BMC session id, 4 LE | console random, 16 | role | 0 0 | name length | user name, 0-16 |
 *
 * Role: bits 3:0 the requested privilege level; bit 4 set looks the user up by name alone, clear by name and level.
 */
import { bad, type Decoded, good, short } from './decoded.ts';

export const NAME_ONLY_LOOKUP = 0x10;
export const MAX_USERNAME_BYTES = 16;

export interface Rakp1 {
  readonly tag: number;
  readonly bmcSessionId: number;
  /** 16 bytes. */
  readonly consoleRandom: Buffer;
  /** The whole byte, because it is part of the authenticated data. */
  readonly role: number;
  readonly username: Buffer;
}

const FIXED_BYTES = 28;

export function encodeRakp1(message: Rakp1): Buffer {
  const bytes = Buffer.alloc(FIXED_BYTES + message.username.length);
  bytes[0] = message.tag;
  bytes.writeUInt32LE(message.bmcSessionId, 4);
  message.consoleRandom.copy(bytes, 8);
  bytes[24] = message.role;
  bytes[27] = message.username.length;
  message.username.copy(bytes, FIXED_BYTES);
  return bytes;
}

export function decodeRakp1(bytes: Buffer): Decoded<Rakp1> {
  if (bytes.length < FIXED_BYTES) return short('RAKP 1', FIXED_BYTES, bytes.length);
  const nameBytes = bytes[27]!;
  if (nameBytes > MAX_USERNAME_BYTES) return bad(`RAKP 1: user name of ${nameBytes} bytes`);
  if (bytes.length < FIXED_BYTES + nameBytes) return short('RAKP 1', FIXED_BYTES + nameBytes, bytes.length);
  return good({
    tag: bytes[0]!,
    bmcSessionId: bytes.readUInt32LE(4),
    consoleRandom: bytes.subarray(8, 24),
    role: bytes[24]!,
    username: bytes.subarray(FIXED_BYTES, FIXED_BYTES + nameBytes),
  });
}
