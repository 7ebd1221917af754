import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTrustEvents, type TrustEvents } from '../../test/fakes/trust-events.ts';
import type { NewNode } from '../domain/node.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createAgentSessions } from './agent-sessions.ts';

const SOURCE = '10.1.0.9';

let store: Store;
let trust: TrustEvents;
let woken: string[];
let uuid: string;

beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  trust = createTrustEvents();
  woken = [];
  uuid = crypto.randomUUID();
  const record = { uuid, driver: 'ipmi', interfaces: {}, provisionState: 'wait call-back' };
  await store.nodes.create(record as unknown as NewNode, new Date());
});

const open = async (certificate: string | null) =>
  createAgentSessions({ store, trust, now: () => new Date(), wake: (node) => void woken.push(node) })(
    await store.nodes.get(uuid),
    { source: SOURCE, certificate },
  );

describe('the session of a proven agent', () => {
  it('keeps the certificate of its lookup', async () => {
    const { token, node } = await open('PEM 1');
    expect(node.agent).toMatchObject({ token, verifyCa: 'PEM 1', proven: true });
    expect((await store.nodes.get(uuid)).agent).toMatchObject({ token, verifyCa: 'PEM 1', proven: true });
    expect(woken).toEqual([uuid]);
  });

  it('gives its token again to the agent that did not get the answer', async () => {
    const { token } = await open('PEM 1');
    expect((await open('PEM 1')).token).toBe(token);
    expect(trust.events).toEqual([]);
  });

  it('is a breach for an agent with another certificate', async () => {
    await open('PEM 1');
    await expect(open('PEM 2')).rejects.toMatchObject({ code: 'forbidden' });
    expect(trust.events).toMatchObject([{ kind: 'breached', node: uuid, from: SOURCE }]);
    expect((await store.nodes.get(uuid)).agent?.verifyCa).toBe('PEM 1');
  });

  it('is a breach when an agent of the old protocol was first', async () => {
    await open(null);
    await expect(open('PEM 1')).rejects.toMatchObject({ code: 'forbidden' });
    expect(trust.events).toHaveLength(1);
  });

  it('begins once when two agents ask at the same time', async () => {
    const outcomes = await Promise.allSettled([open('PEM 1'), open('PEM 2')]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(trust.events).toHaveLength(1);
  });
});

it('an agent of the old protocol gets its token once', async () => {
  const { token, node } = await open(null);
  expect(node.agent).toMatchObject({ token, verifyCa: null, proven: false });
  expect((await open(null)).token).toBe('******');
  expect(trust.events).toEqual([]);
});
