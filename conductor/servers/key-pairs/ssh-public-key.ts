/**
 * SSH public keys as one line of text: `ssh-ed25519 AAAA... comment` (RFC 4253 section 6.6 and its successors).
 *
 *   blob | string type | fields of the type |     every field is uint32 length, bytes
 *
 * A key is written to authorized_keys on machines, so only exactly one well-formed key is accepted.
 */
import { createHash } from 'node:crypto';

/** Number of fields after the type, and the length of the first in bytes if it is fixed. */
const TYPES: Readonly<Record<string, { readonly fields: number; readonly firstBytes?: number }>> = {
  // exponent, modulus
  'ssh-rsa': { fields: 2 },
  'ssh-ed25519': { fields: 1, firstBytes: 32 },
  // curve, point
  'ecdsa-sha2-nistp256': { fields: 2, firstBytes: 8 },
  'ecdsa-sha2-nistp384': { fields: 2, firstBytes: 8 },
  'ecdsa-sha2-nistp521': { fields: 2, firstBytes: 8 },
  // the same on a security key: with the application
  'sk-ssh-ed25519@openssh.com': { fields: 2, firstBytes: 32 },
  'sk-ecdsa-sha2-nistp256@openssh.com': { fields: 3, firstBytes: 8 },
};

/** Bits of the shortest accepted RSA key. */
const MIN_RSA_BITS = 1024;
const MAX_LENGTH = 16_384;

export type ParsedKey =
  | { readonly ok: true; readonly line: string; readonly blob: Buffer }
  | { readonly ok: false; readonly reason: string };

const bad = (reason: string): ParsedKey => ({ ok: false, reason });

export function parsePublicKey(text: string): ParsedKey {
  const line = text.trim();
  if (line.length > MAX_LENGTH) return bad(`it is longer than ${MAX_LENGTH} characters`);
  if (/[^\P{C}\t]/u.test(line)) return bad('it must be one line of printable text');
  const [type = '', encoded = ''] = line.split(/[ \t]+/, 2);
  if (!Object.hasOwn(TYPES, type))
    return bad('it does not begin with a known type of key, such as ssh-ed25519');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return bad('its second word is not base64');
  const blob = Buffer.from(encoded, 'base64');
  const [named, ...fields] = fieldsOf(blob) ?? [];
  if (named === undefined) return bad('its data is cut off');
  if (named.toString('latin1') !== type) return bad(`its data is not of the type ${type}`);
  const { fields: count, firstBytes } = TYPES[type]!;
  const isComplete =
    fields.length === count && (firstBytes === undefined || fields[0]?.length === firstBytes);
  if (!isComplete) return bad(`its data is no key of the type ${type}`);
  if (type === 'ssh-rsa' && bitsOf(fields[1]!) < MIN_RSA_BITS)
    return bad(`an RSA key needs ${MIN_RSA_BITS} bits, it has ${bitsOf(fields[1]!)}`);
  return { ok: true, line, blob };
}

/** MD5 of the blob as `d5:79:...`, as Nova and old clients show it. */
export function md5Fingerprint(blob: Buffer): string {
  return colons(createHash('md5').update(blob).digest('hex'));
}

export const colons = (hex: string): string => hex.match(/../g)?.join(':') ?? '';

/** Undefined if the bytes are not a whole number of fields. */
function fieldsOf(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  let offset = 0;
  while (offset < blob.length) {
    if (offset + 4 > blob.length) return undefined;
    const end = offset + 4 + blob.readUInt32BE(offset);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(offset + 4, end));
    offset = end;
  }
  return fields;
}

/** Bits of an mpint (RFC 4251 section 5). */
function bitsOf(number: Buffer): number {
  const first = number.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (number.length - first - 1) * 8 + (32 - Math.clz32(number[first]!));
}
