/** Text as TFTP's netascii mode sends it (RFC 1350, RFC 764): LF is CR LF, a lone CR is CR NUL. Some clients ask so by default. */
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
