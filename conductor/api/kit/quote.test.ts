import { expect, it } from 'vitest';
import { quote } from './quote.ts';

it.each([
  [null, 'None'],
  [undefined, 'None'],
  [true, 'True'],
  [false, 'False'],
  [0, '0'],
  [1.5, '1.5'],
  ['', "''"],
  ['r1', "'r1'"],
  ['a'.repeat(64), `'${'a'.repeat(64)}'`],
  ['a'.repeat(65), `'${'a'.repeat(64)}...'`],
  [[], '[]'],
  [['secret'], '[...]'],
  [{}, '{}'],
  [{ password: 'secret' }, '{...}'],
])('%j is written %s', (value, text) => {
  expect(quote(value)).toBe(text);
});

it('takes another mark around a string', () => {
  expect(quote('r1', '"')).toBe('"r1"');
});
