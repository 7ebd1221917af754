/** Uses ELF files made by hand. reproducible.protocol.test.ts reads those of Debian. */

import { describe, expect, it } from 'vitest';
import { fc } from '../test/random-cases.ts';
import { elfNeeds } from './elf.ts';

const [PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE] = [1, 2, 3, 4];
const [DT_NULL, DT_NEEDED, DT_STRTAB, DT_SONAME] = [0, 1, 5, 14];
const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;

interface Segment {
  readonly type: number;
  readonly address: number;
  readonly data: Buffer;
}

/** A 64-bit little-endian ELF file of these segments. */
function elf(segments: readonly Segment[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(0x7f454c46, 0);
  header[4] = 2;
  header[5] = 1;
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
  header.writeUInt16LE(PROGRAM_HEADER_BYTES, 54);
  header.writeUInt16LE(segments.length, 56);
  let offset = HEADER_BYTES + PROGRAM_HEADER_BYTES * segments.length;
  const table = segments.map(({ type, address, data }) => {
    const entry = Buffer.alloc(PROGRAM_HEADER_BYTES);
    entry.writeUInt32LE(type, 0);
    entry.writeBigUInt64LE(BigInt(offset), 8);
    entry.writeBigUInt64LE(BigInt(address), 16);
    entry.writeBigUInt64LE(BigInt(data.length), 32);
    offset += data.length;
    return entry;
  });
  return Buffer.concat([header, ...table, ...segments.map(({ data }) => data)]);
}

function dynamic(...entries: readonly (readonly [tag: number, value: number])[]): Buffer {
  const bytes = Buffer.alloc(entries.length * 16);
  entries.forEach(([tag, value], i) => {
    bytes.writeBigUInt64LE(BigInt(tag), i * 16);
    bytes.writeBigUInt64LE(BigInt(value), i * 16 + 8);
  });
  return bytes;
}

const STRINGS = Buffer.from('\0libc.so.6\0libm.so.6\0self.so\0');
const at = (name: string): number => STRINGS.indexOf(`${name}\0`);
const INTERPRETER = '/lib64/ld-linux-x86-64.so.2';

describe('the needs of an ELF file', () => {
  it('are its libraries and its interpreter, wherever the strings are loaded', () => {
    const file = elf([
      { type: PT_NOTE!, address: 0, data: Buffer.from('note') },
      { type: PT_INTERP!, address: 0x100, data: Buffer.from(`${INTERPRETER}\0`) },
      { type: PT_LOAD!, address: 0x1000, data: Buffer.alloc(16) },
      // The string table begins at byte 4 of this segment.
      { type: PT_LOAD!, address: 0x2000, data: Buffer.concat([Buffer.alloc(4, 'x'), STRINGS]) },
      {
        type: PT_DYNAMIC!,
        address: 0x3000,
        data: dynamic(
          [DT_NEEDED!, at('libc.so.6')],
          [DT_SONAME!, at('self.so')],
          [DT_NEEDED!, at('libm.so.6')],
          [DT_STRTAB!, 0x2004],
          [DT_NULL!, 0],
        ),
      },
    ]);
    expect(elfNeeds(file)).toEqual({ interpreter: INTERPRETER, libraries: ['libc.so.6', 'libm.so.6'] });
  });

  it('are found when the strings begin at the first byte of a segment, and not after its end', () => {
    const file = (address: number) =>
      elf([
        { type: PT_LOAD!, address, data: STRINGS },
        { type: PT_DYNAMIC!, address: 0x9000, data: dynamic([DT_NEEDED!, 1], [DT_STRTAB!, 0x2000]) },
      ]);
    expect(elfNeeds(file(0x2000))?.libraries).toEqual(['libc.so.6']);
    expect(elfNeeds(file(0x2000 - STRINGS.length))?.libraries).toEqual([]);
    expect(elfNeeds(file(0x2001))?.libraries).toEqual([]);
  });

  it('are none in a static program, nor without a table of strings', () => {
    expect(elfNeeds(elf([]))).toEqual({ interpreter: undefined, libraries: [] });
    const file = elf([{ type: PT_DYNAMIC!, address: 0, data: dynamic([DT_NEEDED!, 1]) }]);
    expect(elfNeeds(file)?.libraries).toEqual([]);
  });

  it.each([
    ['a file that is too short', (file: Buffer) => file.subarray(0, 63)],
    ['another signature', (file: Buffer) => file.fill(0, 0, 1)],
    ['a 32-bit file', (file: Buffer) => file.fill(1, 4, 5)],
    ['a big-endian file', (file: Buffer) => file.fill(2, 5, 6)],
  ])('are not read from %s', (_what, change) => expect(elfNeeds(change(elf([])))).toBeUndefined());

  it('of other files are undefined', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => elfNeeds(Buffer.from(bytes)) === undefined));
  });
});
