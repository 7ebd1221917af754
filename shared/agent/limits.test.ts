import { expect, it } from 'vitest';
import { boundedName, boundedText, isCount, isName } from './limits.ts';

it('cuts a text after 4096 characters, and says so', () => {
  expect(boundedText('x'.repeat(4096))).toBe('x'.repeat(4096));
  const cut = boundedText('x'.repeat(25_000_000));
  expect(cut).toHaveLength(4096);
  expect(cut).toMatch(/^x+ \[cut from 25000000 characters\]$/);
  // A character is not cut in half.
  expect(boundedText(`${'\u{1f600}'.repeat(3000)}`).isWellFormed()).toBe(true);
});

it('replaces what could change a terminal; a text may have lines, a name not', () => {
  expect(boundedText('a\r\n\tb\u001b[2J\u0000\u202e')).toBe('a\n\tb\u{fffd}[2J\u{fffd}\u{fffd}');
  expect(boundedName('a\nb')).toBe('a\u{fffd}b');
  expect(boundedName({ a: 1 })).toBe('{"a":1}');
});

it('knows names and counts', () => {
  for (const name of ['erase_devices', 'x'.repeat(255), 'Gerät 1']) expect(isName(name)).toBe(true);
  for (const other of ['', 'x'.repeat(256), 'a\n', 7, null]) expect(isName(other)).toBe(false);
  for (const count of [0, 1, Number.MAX_SAFE_INTEGER]) expect(isCount(count)).toBe(true);
  for (const other of [-1, 0.5, Number.NaN, 1e300, '1', null]) expect(isCount(other)).toBe(false);
});
