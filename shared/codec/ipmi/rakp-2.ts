/**
 * RAKP message 2 (IPMI 2.0 section 13.21): the BMC proves that it knows the user's password, or refuses.
 *
 *   | tag | status | 0 0 | console session id, 4 LE | BMC random, 16 | BMC GUID, 16 | key exchange code |
 *
 * With a status other than 0 it may end after the console session id.
 */
import { type Decoded, good, short } from './decoded.ts';

export type Rakp2 =
  | {
      readonly tag: number;
      readonly status: 0;
      readonly consoleSessionId: number;
      /** 16 bytes each. */
      readonly bmcRandom: Buffer;
      readonly bmcGuid: Buffer;
      /** Its length depends on the authentication algorithm. */
      readonly authCode: Buffer;
    }
  | { readonly tag: number; readonly status: number; readonly consoleSessionId: number };

export type Rakp2Accepted = Extract<Rakp2, { status: 0 }>;

const FIXED_BYTES = 40;

export const isRakp2Accepted = (message: Rakp2): message is Rakp2Accepted => message.status === 0;

export function encodeRakp2(message: Rakp2): Buffer {
  const head = Buffer.alloc(8);
  head[0] = message.tag;
  head[1] = message.status;
  head.writeUInt32LE(message.consoleSessionId, 4);
  if (!isRakp2Accepted(message)) return head;
  return Buffer.concat([head, message.bmcRandom, message.bmcGuid, message.authCode]);
}

export function decodeRakp2(bytes: Buffer): Decoded<Rakp2> {
  if (bytes.length < 8) return short('RAKP 2', 8, bytes.length);
  const [tag, status, consoleSessionId] = [bytes[0]!, bytes[1]!, bytes.readUInt32LE(4)];
  if (status !== 0) return good({ tag, status, consoleSessionId });
  if (bytes.length < FIXED_BYTES) return short('RAKP 2', FIXED_BYTES, bytes.length);
  return good({
    tag,
    status,
    consoleSessionId,
    bmcRandom: bytes.subarray(8, 24),
    bmcGuid: bytes.subarray(24, FIXED_BYTES),
    authCode: bytes.subarray(FIXED_BYTES),
  });
}
