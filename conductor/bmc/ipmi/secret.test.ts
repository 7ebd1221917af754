import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.ts';

it('shows asterisks wherever it is printed', () => {
  const secret = Secret.ofText('pass-wörd');
  for (const text of [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9 }),
  ]) {
    expect(text).toContain('******');
    expect(text).not.toContain('pass');
  }
  expect(secret.reveal().toString()).toBe('pass-wörd');
});

it.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', 'aa', false],
  ['', '', true],
])('%j equals %j: %s', (one, other, equal) => {
  expect(Secret.ofText(one).equals(Secret.ofText(other))).toBe(equal);
});
