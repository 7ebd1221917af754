import { digestOf, type ProofPurpose, proofMac } from '@ingot/shared/agent/boot-proof.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTrustEvents, type TrustEvents } from '../../test/fakes/trust-events.ts';
import type { Node } from '../domain/node.ts';
import { createBootCheck } from './boot-check.ts';
import { type BootNonces, createBootNonces } from './boot-nonces.ts';

const SOURCE = '10.1.0.9';
const SECRET = 'secret-of-the-boot';
const node = (more: object = {}) =>
  ({
    uuid: 'n',
    agent: null,
    bootTarget: { kind: 'ramdisk', bootSecret: SECRET },
    ...more,
  }) as unknown as Node;

let trust: TrustEvents;
let nonces: BootNonces;
beforeEach(() => {
  trust = createTrustEvents();
  nonces = createBootNonces();
});

const check = (allowPlaintext = false) => createBootCheck({ nonces, trust, allowPlaintext });
const proof = (purpose: ProofPurpose, { secret = SECRET, nonce = nonces.make(), nodeUuid = 'n' } = {}) => {
  const bodyDigest = digestOf('{}');
  return { nonce, bodyDigest, mac: proofMac(secret, { purpose, nonce, nodeUuid, bodyDigest }) };
};

describe('a request with a proof', () => {
  it('is believed', async () => {
    expect(await check()(node(), 'lookup', { source: SOURCE, proof: proof('lookup') })).toBe(true);
    expect(trust.events).toEqual([]);
  });

  it('is believed once', async () => {
    const checked = check();
    const sender = { source: SOURCE, proof: proof('heartbeat') };
    await checked(node(), 'heartbeat', sender);
    await expect(checked(node(), 'heartbeat', sender)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('needs a nonce of this conductor, and is no event without one', async () => {
    const made = proof('lookup', { nonce: createBootNonces().make() });
    await expect(check()(node(), 'lookup', { source: SOURCE, proof: made })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(trust.events).toEqual([]);
  });

  it.each([
    ['of another secret', () => proof('lookup', { secret: 'guessed' }), node()],
    ['of another purpose', () => proof('heartbeat'), node()],
    ['for another node', () => proof('lookup', { nodeUuid: 'm' }), node()],
    ['for a node that boots its disk', () => proof('lookup'), node({ bootTarget: { kind: 'disk' } })],
    ['for a boot without a secret', () => proof('lookup'), node({ bootTarget: { kind: 'ramdisk' } })],
  ])('%s is refused, and an event', async (_, make, asked) => {
    await expect(check(true)(asked, 'lookup', { source: SOURCE, proof: make() })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(trust.events).toMatchObject([
      { kind: 'refused', node: 'n', from: SOURCE, what: 'a lookup with a wrong boot secret' },
    ]);
  });
});

describe('a request without a proof', () => {
  it('is refused, and an event', async () => {
    await expect(check()(node(), 'inspection', { source: SOURCE })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(trust.events).toMatchObject([{ what: 'inspection data without the boot secret' }]);
  });

  it('is of the old protocol where that is allowed', async () => {
    expect(await check(true)(node(), 'lookup', { source: SOURCE })).toBe(false);
  });

  it('does not continue a session that began with a proof', async () => {
    const proven = node({ agent: { proven: true } });
    await expect(check(true)(proven, 'heartbeat', { source: SOURCE })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
