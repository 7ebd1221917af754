import { expect, it } from 'vitest';
import { detectFormat } from './image-format.ts';

const NOTHING = Buffer.alloc(0);

/** A file of zeros that contains these bytes at `at`. */
function file(at: number, bytes: string, length = 0x8800): Buffer {
  const data = Buffer.alloc(length);
  data.write(bytes, at < 0 ? length + at : at, 'latin1');
  return data;
}

it.each([
  ['qcow2', 0, 'QFI\u00fb'],
  ['qed', 0, 'QED\0'],
  ['vmdk', 0, 'KDMV'],
  ['vmdk', 0, '# Disk DescriptorFile'],
  ['vdi', 0x40, '\u007f\u0010\u00da\u00be'],
  ['vhd', 0, 'conectix'],
  ['vhdx', 0, 'vhdxfile'],
  ['parallels', 0, 'WithoutFreeSpace'],
  ['parallels', 0, 'WithouFreSpacExt'],
  ['luks', 0, 'LUKS\u00ba\u00be'],
  ['gzip', 0, '\u001f\u008b'],
  ['xz', 0, '\u00fd7zXZ\0'],
  ['zstd', 0, '\u0028\u00b5\u002f\u00fd'],
  ['bzip2', 0, 'BZh'],
  ['zip', 0, 'PK\u0003\u0004'],
  ['iso', 0x8001, 'CD001'],
] as const)('recognizes %s by its bytes at %i and at no other place', (format, at, bytes) => {
  expect(detectFormat(file(at, bytes), NOTHING)).toBe(format);
  expect(detectFormat(file(at + 1, bytes), NOTHING)).toBe('raw');
  expect(detectFormat(NOTHING, file(at, bytes))).toBe('raw');
});

it.each([
  ['vhd', 'conectix'],
  ['dmg', 'koly'],
] as const)('recognizes %s by the last 512 bytes', (format, bytes) => {
  expect(detectFormat(Buffer.alloc(512), file(-512, bytes, 512))).toBe(format);
  expect(detectFormat(Buffer.alloc(512), file(-512, bytes, 1024))).toBe(format);
  // A shorter file has no such place.
  expect(detectFormat(NOTHING, Buffer.from(bytes))).toBe('raw');
});

it('everything else is raw', () => {
  expect(detectFormat(NOTHING, NOTHING)).toBe('raw');
  expect(detectFormat(Buffer.from('QFI'), NOTHING)).toBe('raw');
});
