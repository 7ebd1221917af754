import { expect, it } from 'vitest';
import { decodeSessionless, encodeSessionless } from './session-v15.ts';

const packet = (at: number, value: number): Buffer => {
  const bytes = encodeSessionless(Buffer.from('message'));
  bytes[at] = value;
  return bytes;
};

it('is decoded to what was encoded', () => {
  const decoded = decodeSessionless(encodeSessionless(Buffer.from('message')));
  expect(decoded.ok && decoded.value.toString()).toBe('message');
});

it.each([
  ['another authentication type', 0, 'authentication type 1, not none'],
  ['a session sequence number', 1, 'belongs to a v1.5 session'],
  ['a session id', 5, 'belongs to a v1.5 session'],
])('is refused with %s', (_what, at, reason) => {
  expect(decodeSessionless(packet(at, 1))).toEqual({ ok: false, reason });
});
