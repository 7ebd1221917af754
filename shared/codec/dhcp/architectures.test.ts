import { expect, it } from 'vitest';
import { ARCHITECTURES, architecturesOf } from './architectures.ts';

it.each([
  [undefined, [0]],
  ['', [0]],
  ['07', [0]],
  ['0007', [7]],
  ['0010000b', [16, 11]],
  ['000700', [7]],
] as const)('option 93 of %s says %j', (hex, types) => {
  expect(architecturesOf(hex === undefined ? undefined : Buffer.from(hex, 'hex'))).toEqual(types);
});

it('an HTTP type and its PXE type have the same platform', () => {
  for (const [pxe, http] of [
    [0, 20],
    [6, 15],
    [7, 16],
    [9, 17],
    [10, 18],
    [11, 19],
  ] as const) {
    expect(ARCHITECTURES.get(http)).toBe(ARCHITECTURES.get(pxe));
  }
});
