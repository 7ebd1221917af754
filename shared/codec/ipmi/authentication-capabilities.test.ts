import { expect, it } from 'vitest';
import { getAuthenticationCapabilities } from './authentication-capabilities.ts';

const V20_DATA = 0x80;
const NONE = {
  channel: 1,
  rmcpPlus: false,
  v15: false,
  kgSet: false,
  namedUsers: false,
  nullUsernames: false,
  anonymousLogin: false,
};

function decoded(types: number, status: number, extended: number): unknown {
  const result = getAuthenticationCapabilities.decodeResponse(
    Buffer.from([0xf1, types, status, extended, 0, 0, 0, 0]),
  );
  return result.ok ? result.value : result.reason;
}

it.each([
  [{ rmcpPlus: true }, 0, 0x02],
  [{ v15: true }, 0, 0x01],
  [{ kgSet: true }, 0x20, 0],
  [{ namedUsers: true }, 0x04, 0],
  [{ nullUsernames: true }, 0x02, 0],
  [{ anonymousLogin: true }, 0x01, 0],
  [{}, 0x98, 0xfc],
])('%j is a bit of the answer', (expected, status, extended) => {
  expect(decoded(V20_DATA, status, extended)).toEqual({ ...NONE, ...expected });
});

it('of a BMC with IPMI 1.5 only has no RMCP+ and no K_g, whatever the reserved bits are', () => {
  expect(decoded(0x04, 0x20, 0x02)).toEqual({ ...NONE, v15: true });
});

it('is encoded to what was decoded', () => {
  for (const key of ['rmcpPlus', 'v15', 'kgSet', 'namedUsers', 'nullUsernames', 'anonymousLogin'] as const) {
    const value = { ...NONE, [key]: true };
    const bytes = getAuthenticationCapabilities.encodeResponse(value);
    expect(getAuthenticationCapabilities.decodeResponse(bytes)).toEqual({ ok: true, value });
  }
});
