import { describe, expect, it } from 'vitest';
import { bitString, integer, objectIdentifier, sequence, utf8 } from './der.ts';

describe('DER', () => {
  it.each([
    ['a small integer', integer(Buffer.of(2)), '020102'],
    ['an integer with its high bit set', integer(Buffer.of(0x80)), '02020080'],
    ['an integer with leading zeros', integer(Buffer.of(0, 0, 5)), '020105'],
    ['zero', integer(Buffer.of(0, 0)), '020100'],
    ['an object identifier', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['a bit string', bitString(Buffer.of(0xff)), '030200ff'],
    ['a sequence', sequence(integer(Buffer.of(1)), utf8('a')), '30060201010c0161'],
  ])('writes %s', (_, bytes, hex) => expect(bytes.toString('hex')).toBe(hex));

  it.each([
    [127, '7f'],
    [128, '8180'],
    [255, '81ff'],
    [256, '820100'],
    [65_535, '82ffff'],
  ])('writes the length %i', (length, hex) => {
    expect(
      utf8('a'.repeat(length))
        .subarray(1, 1 + hex.length / 2)
        .toString('hex'),
    ).toBe(hex);
  });
});
