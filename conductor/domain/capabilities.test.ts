import { expect, it } from 'vitest';
import { bootModeIn, parseCapabilities, parseCapabilityText } from './capabilities.ts';

it.each<[unknown, object]>([
  ['a:b, c:d:e,f,:g,h:', { a: 'b', c: 'd:e', h: '' }],
  [
    { boot_mode: 'uefi', n: 1 },
    { boot_mode: 'uefi', n: '1' },
  ],
  ['{"boot_mode": "bios"}', { boot_mode: 'bios' }],
  ['{broken:json', { '{broken': 'json' }],
  [undefined, {}],
  [null, {}],
  [7, {}],
  [['a:b'], {}],
])('of %j', (value, expected) => {
  expect(Object.fromEntries(parseCapabilities(value))).toEqual(expected);
});

it.each([
  ['boot_mode:uefi,x:y', 'uefi'],
  ['x:y, boot_mode : bios', 'bios'],
  ['boot_mode:coreboot', undefined],
  ['', undefined],
])('the boot mode in %j is %s', (text, mode) => {
  expect(bootModeIn(parseCapabilities(text))).toBe(mode);
});

it('in the form of Nova are only read from text', () => {
  expect(Object.fromEntries(parseCapabilityText('a:b, c:d:e,f,:g,h:'))).toEqual({ a: 'b', c: 'd:e', h: '' });
  for (const value of [undefined, 7, ['a:b'], { a: 'b' }]) expect(parseCapabilityText(value).size).toBe(0);
});
