/**
 * Payload encryption with AES-CBC-128 (IPMI 2.0 section 13.29, table 13-20).
 *
 *   | initialisation vector, 16 | AES-CBC ( payload | pad 0x01 0x02 ... | pad length ) |
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { bad, type Decoded, good, short } from './decoded.ts';

export const IV_BYTES = 16;
const BLOCK_BYTES = 16;
const KEY_BYTES = 16;
const ALGORITHM = 'aes-128-cbc';

/** `iv` must be fresh and random for each packet. */
export function encryptPayload(k2: Buffer, iv: Buffer, payload: Buffer): Buffer {
  const padBytes = -(payload.length + 1) & (BLOCK_BYTES - 1);
  const pad = Buffer.from([...Array(padBytes).keys()].map((i) => i + 1).concat(padBytes));
  const cipher = createCipheriv(ALGORITHM, k2.subarray(0, KEY_BYTES), iv).setAutoPadding(false);
  return Buffer.concat([iv, cipher.update(payload), cipher.update(pad), cipher.final()]);
}

export function decryptPayload(k2: Buffer, bytes: Buffer): Decoded<Buffer> {
  if (bytes.length < IV_BYTES + BLOCK_BYTES)
    return short('encrypted payload', IV_BYTES + BLOCK_BYTES, bytes.length);
  if (bytes.length % BLOCK_BYTES !== 0) return bad('encrypted payload: not whole AES blocks');
  const decipher = createDecipheriv(ALGORITHM, k2.subarray(0, KEY_BYTES), bytes.subarray(0, IV_BYTES));
  decipher.setAutoPadding(false);
  const clear = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]);
  const padBytes = clear[clear.length - 1]!;
  const end = clear.length - 1 - padBytes;
  if (padBytes >= BLOCK_BYTES || end < 0) return bad(`encrypted payload: pad length ${padBytes}`);
  for (let i = 0; i < padBytes; i++) {
    if (clear[end + i] !== i + 1) return bad('encrypted payload: wrong pad bytes');
  }
  return good(clear.subarray(0, end));
}
