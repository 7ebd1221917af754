import { describe, expect, it } from 'vitest';
import { decodeProof, digestOf, encodeProof, isProven, type ProvenRequest, proofMac } from './boot-proof.ts';

const REQUEST: ProvenRequest = {
  purpose: 'lookup',
  nonce: 'n1',
  nodeUuid: '6f0bd6c5-ae64-4a4c-8d7a-2a7b7f1f2c11',
  bodyDigest: digestOf('{}'),
};

describe('boot proof', () => {
  it('is the HMAC of all parts of the request', () => {
    // Computed with `openssl dgst -sha256 -hmac secret`.
    expect(proofMac('secret', REQUEST)).toBe('HZfjCbuMhkDfseIwKsXVOIynJxd-av8mt3fIusRRjY4');
    expect(isProven('secret', REQUEST, proofMac('secret', REQUEST))).toBe(true);
  });

  it.each([
    ['secret', 'other', REQUEST],
    ['purpose', 'secret', { ...REQUEST, purpose: 'heartbeat' }],
    ['nonce', 'secret', { ...REQUEST, nonce: 'n2' }],
    ['node', 'secret', { ...REQUEST, nodeUuid: 'x' }],
    ['body', 'secret', { ...REQUEST, bodyDigest: digestOf('{"a":1}') }],
  ] as const)('does not hold for another %s', (_, secret, request) => {
    expect(isProven('secret', REQUEST, proofMac(secret, request))).toBe(false);
  });

  it('does not hold for a MAC of another length', () => {
    expect(isProven('secret', REQUEST, '')).toBe(false);
    expect(isProven('secret', REQUEST, `${proofMac('secret', REQUEST)}x`)).toBe(false);
  });

  it('passes a header unchanged', () => {
    const proof = { nonce: 'abc_-1', mac: 'def' };
    expect(decodeProof(encodeProof(proof))).toEqual(proof);
    expect(decodeProof('.')).toEqual({ nonce: '', mac: '' });
  });

  it.each(['', 'x', 'a.b.c', 'ä.b', `${'a'.repeat(129)}.b`])('refuses the header %j', (header) => {
    expect(decodeProof(header)).toBeUndefined();
  });
});
