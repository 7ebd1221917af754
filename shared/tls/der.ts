/**
 * Writes ASN.1 values in DER (X.690): the few types that an X.509 certificate contains.
 */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
/** Context-specific, constructed, number 0. */
const EXPLICIT_0 = 0xa0;

function value(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | digits.length), digits, content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => value(SEQUENCE, Buffer.concat(parts));
export const setOf = (part: Uint8Array): Buffer => value(SET, part);
export const explicit0 = (part: Uint8Array): Buffer => value(EXPLICIT_0, part);
export const utf8 = (text: string): Buffer => value(UTF8_STRING, Buffer.from(text, 'utf8'));
/** `YYMMDDHHMMSSZ`, for years from 1950 to 2049. */
export const utcTime = (text: string): Buffer => value(UTC_TIME, Buffer.from(text, 'latin1'));
/** `YYYYMMDDHHMMSSZ`. */
export const generalizedTime = (text: string): Buffer => value(GENERALIZED_TIME, Buffer.from(text, 'latin1'));
/** A string of whole bytes. */
export const bitString = (bytes: Uint8Array): Buffer =>
  value(BIT_STRING, Buffer.concat([Buffer.of(0), bytes]));

/** A positive integer, from its bytes with the most significant one first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Buffer.of(0) : Buffer.from(bytes.subarray(first));
  const sign = (digits[0] as number) >= 0x80 ? [Buffer.of(0)] : [];
  return value(INTEGER, Buffer.concat([...sign, digits]));
}

/** From the dotted form, such as `1.2.840.10045.4.3.2`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return value(OBJECT_IDENTIFIER, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Seven bits a byte; all bytes but the last have the high bit set. */
function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}
