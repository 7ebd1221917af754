import { expect, it } from 'vitest';
import { toNetascii } from './netascii.ts';

it.each([
  ['', ''],
  ['abc', 'abc'],
  ['a\nb\n', 'a\r\nb\r\n'],
  ['a\rb', 'a\r\0b'],
  ['\r\n', '\r\0\r\n'],
  ['\n\r\n\r', '\r\n\r\0\r\n\r\0'],
])('%j is sent as %j', (text, sent) => {
  expect(toNetascii(Buffer.from(text)).toString()).toBe(sent);
});
