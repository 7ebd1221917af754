import { expect, it } from 'vitest';
import { isAgentToken, newAgentToken } from './agent-token.ts';

it('is 43 URL-safe characters, different each time', () => {
  expect(newAgentToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(newAgentToken()).not.toBe(newAgentToken());
});

it('is compared as a whole', () => {
  const token = newAgentToken();
  expect(isAgentToken(token, token)).toBe(true);
  for (const given of [null, '', token.slice(1), `${token}x`, `${token.slice(0, -1)}!`])
    expect(isAgentToken(given, token)).toBe(false);
});
