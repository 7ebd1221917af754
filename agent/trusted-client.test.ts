import type { Inspection } from '@ingot/shared/agent/inspection.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NODE_UUID, TOKEN } from '../test/fakes/agent/fake-conductor.ts';
import { startTrustedConductor } from '../test/fakes/agent/trusted-conductor.ts';
import { createTrustedClient } from './trusted-client.ts';

const { signal } = new AbortController();
const BEAT = {
  callbackUrl: 'https://192.0.2.9:9999',
  version: 'ingot/1',
  token: TOKEN,
  verifyCa: null,
  status: null,
  statusMessage: null,
};

async function conductor() {
  const fake = await startTrustedConductor();
  onTestFinished(() => fake.close());
  return fake;
}

describe('the client of the conductor that booted this machine', () => {
  it('proves each request, with the nonce of the answer before', async () => {
    const fake = await conductor();
    const client = createTrustedClient(fake.trust);
    const answer = await client.lookup([], null, signal);
    expect(answer).toMatchObject({ node: { uuid: NODE_UUID }, token: TOKEN });
    await client.heartbeat(NODE_UUID, BEAT, signal);
    const data: Inspection = { inventory: {} as never, bootInterface: null, collectors: [] };
    expect(await client.inspection(data, signal)).toBe(NODE_UUID);
    expect(fake.seen).toEqual(['lookup 401', 'lookup 200', 'heartbeat 200', 'inspection 200']);
    expect(fake.bodies[0]).toEqual({
      node_uuid: NODE_UUID,
      agent_verify_ca: fake.trust.identity.certificate,
    });
    expect(client.conductorTime()?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('gets a new nonce from a conductor that has started again', async () => {
    const fake = await conductor();
    const client = createTrustedClient(fake.trust);
    await client.lookup([], null, signal);
    fake.restart();
    await client.heartbeat(NODE_UUID, BEAT, signal);
    expect(fake.seen.slice(2)).toEqual(['heartbeat 401', 'heartbeat 200']);
  });

  it('is refused with another secret, and asks no second time', async () => {
    const fake = await conductor();
    const client = createTrustedClient({ ...fake.trust, bootSecret: 'guessed' });
    await expect(client.lookup([], null, signal)).rejects.toMatchObject({ status: 403 });
    expect(fake.seen).toEqual(['lookup 401', 'lookup 403']);
  });

  it('sends nothing to a server with another key', async () => {
    const fake = await conductor();
    const client = createTrustedClient({ ...fake.trust, pin: 'A'.repeat(43) });
    await expect(client.lookup([], null, signal)).rejects.toThrow(
      '127.0.0.1 is not the conductor that booted this machine',
    );
    expect(fake.seen).toEqual([]);
  });
});
