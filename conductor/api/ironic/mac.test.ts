import { expect, it } from 'vitest';
import { macOf } from './mac.ts';

it('a MAC address has six pairs with colons, and is stored in lower case', () => {
  expect(macOf('52:54:00:AB:CD:EF')).toBe('52:54:00:ab:cd:ef');
});

it.each(['525400abcdef', '52-54-00-ab-cd-ef', '52:54:00', '52:54:00:ab:cd:gg', '', 5, null])(
  '%j is none',
  (text) => {
    expect(() => macOf(text)).toThrow(
      `Expected a MAC address but received ${String(text)}. "address" has six`,
    );
  },
);
