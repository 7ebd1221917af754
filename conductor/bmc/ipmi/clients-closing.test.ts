/** Which connection the registry gives to whom, with connections that close when the test says so. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ipmiAddress } from '../../../test/fakes/bmc/test-ipmi.ts';
import { createIpmiClients } from './clients.ts';
import type { Connection, ConnectionDeps } from './connection.ts';
import { Secret } from './secret.ts';

interface FakeConnection {
  readonly deps: ConnectionDeps;
  /** Commands that it ran. */
  ran: number;
  closing: PromiseWithResolvers<void> | undefined;
}

const made: FakeConnection[] = [];
vi.mock(import('./connection.ts'), () => ({
  Connection: class {
    readonly address: unknown;
    readonly own: FakeConnection;
    constructor(address: unknown, deps: ConnectionDeps) {
      this.address = address;
      this.own = { deps, ran: 0, closing: undefined };
      made.push(this.own);
    }
    async run() {
      this.own.ran += 1;
      return { powerOn: true };
    }
    close() {
      this.own.closing = Promise.withResolvers();
      return this.own.closing.promise;
    }
  } as unknown as typeof Connection,
}));

const turn = () => new Promise((resolve) => setImmediate(resolve));
const warn = vi.fn();
let clients: ReturnType<typeof createIpmiClients>;
beforeEach(() => {
  made.length = 0;
  warn.mockClear();
  clients = createIpmiClients({ logger: { debug: () => undefined, warn } });
});

const use = async (password: string, port = 623) => {
  const address = { ...ipmiAddress(port), password: Secret.ofText(password) };
  await clients.for(address).getPowerState();
};

describe('changed credentials', () => {
  it('get a new connection, which waits until the old one is closed', async () => {
    await use('one');
    await use('one');
    const waiting = use('two');
    await turn();
    expect(made.map(({ ran }) => ran)).toEqual([2, 0]);
    made[0]!.closing!.resolve();
    await waiting;
    expect(made.map(({ ran }) => ran)).toEqual([2, 1]);
  });

  it('that change again wait for all connections before', async () => {
    await use('one');
    const second = use('two');
    const third = use('three');
    await turn();
    made[1]!.closing!.resolve();
    await turn();
    expect(made.map(({ ran }) => ran)).toEqual([1, 0, 0]);
    made[0]!.closing!.resolve();
    await Promise.all([second, third]);
    expect(made[2]!.ran).toBe(1);
  });

  it('are not held up by a connection that fails to close', async () => {
    await use('one');
    const waiting = use('two');
    await turn();
    made[0]!.closing!.reject(new Error('no route'));
    await waiting;
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'closing an IPMI session failed');
  });

  it('of one BMC do not hold up another', async () => {
    await use('one');
    void use('two');
    await use('one', 624);
    expect(made.map(({ ran }) => ran)).toEqual([1, 0, 1]);
    made[0]!.closing!.resolve();
  });
});

it('an idle connection is forgotten with its credentials, and the cipher suite that worked is not', async () => {
  await use('one');
  made[0]!.deps.onSuite(3);
  made[0]!.deps.onIdle();
  await use('one');
  expect(made).toHaveLength(2);
  expect([made[0]!.deps.preferredSuite, made[1]!.deps.preferredSuite]).toEqual([undefined, 3]);
});

it('an old connection that becomes idle late does not end the new one', async () => {
  await use('one');
  const waiting = use('two');
  await turn();
  made[0]!.closing!.resolve();
  await waiting;
  made[0]!.deps.onIdle();
  await use('two');
  expect(made.map(({ ran }) => ran)).toEqual([1, 2]);
});

it('closing waits for every connection, those with old credentials too', async () => {
  await use('one');
  const waiting = use('two');
  await turn();
  let closed = false;
  const all = clients.closeAll().then(() => {
    closed = true;
  });
  made[1]!.closing!.resolve();
  await turn();
  expect(closed).toBe(false);
  made[0]!.closing!.resolve();
  await all;
  await waiting;
  await expect(use('two')).rejects.toThrow('the conductor is shutting down: no more IPMI commands');
});
