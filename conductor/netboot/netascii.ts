/** TFTP's netascii mode (RFC 1350, RFC 764): LF becomes CR LF, and CR becomes CR NUL. It is the default of some clients. */
const NUL = 0;
const LF = 10;
const CR = 13;

export function toNetascii(data: Buffer): Buffer {
  const out = Buffer.alloc(data.length * 2);
  let end = 0;
  for (const byte of data) {
    if (byte === LF) out[end++] = CR;
    out[end++] = byte;
    if (byte === CR) out[end++] = NUL;
  }
  return out.subarray(0, end);
}
