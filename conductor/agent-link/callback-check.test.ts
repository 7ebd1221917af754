import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Mac } from '../domain/boot.ts';
import { type Prefix, parsePrefix } from '../domain/ip-address.ts';
import type { NewNode } from '../domain/node.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createCallbackCheck } from './callback-check.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const HOUR_MS = 3_600_000;
const [FIRST, SECOND, FOREIGN] = ['52:54:00:00:00:01', '52:54:00:00:00:02', '52:54:00:00:00:09'] as Mac[];

let store: Store;
beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const node = { uuid: 'n', driver: 'ipmi', interfaces: {}, provisionState: 'active' } as unknown as NewNode;
  await store.nodes.create(node, NOW);
  for (const address of [FIRST!, SECOND!]) {
    await store.ports.create({ uuid: crypto.randomUUID(), nodeUuid: 'n', address }, NOW);
  }
});

const checkWith = (leases: boolean, agentCallbackAllow: readonly Prefix[] = []) =>
  createCallbackCheck({
    settings: { agentAllowPlaintext: true, agentCallbackAllow },
    leases,
    store,
    ownAddresses: () => ['10.0.0.1'],
    now: () => NOW,
  });
const lease = (mac: Mac | undefined, address: string, ms: number) =>
  store.leases.put({ mac: mac!, address, expiresAt: new Date(NOW.getTime() + ms) }, NOW);

it('believes the live leases of all ports of the node, wherever the heartbeat comes from', async () => {
  await lease(FIRST, '10.0.0.11', -1);
  await lease(SECOND, '10.0.0.12', HOUR_MS);
  await lease(FOREIGN, '10.0.0.19', HOUR_MS);
  const problem = (host: string) =>
    checkWith(true)({ nodeUuid: 'n', url: `http://${host}:9999`, source: '10.0.0.19' });
  expect(await problem('10.0.0.12')).toBeUndefined();
  for (const host of ['10.0.0.11', '10.0.0.19', '10.0.0.1'])
    expect([host, await problem(host)]).not.toContain(undefined);
  expect(await problem('10.0.0.19')).toContain("leased to a port of the node (dhcp.mode is 'reservation')");
});

it('believes the source of the heartbeat where our DHCP server leases nothing', async () => {
  await lease(FIRST, '10.0.0.11', HOUR_MS);
  const problem = (host: string, source: string) =>
    checkWith(false)({ nodeUuid: 'n', url: `http://${host}:9999`, source });
  expect(await problem('192.0.2.9', '192.0.2.9')).toBeUndefined();
  expect(await problem('192.0.2.9', '::ffff:192.0.2.9')).toBeUndefined();
  expect(await problem('10.0.0.11', '192.0.2.9')).toContain(
    'the address 192.0.2.9, from which the heartbeat came',
  );
  expect(await problem('127.0.0.1', '127.0.0.1')).toContain('a loopback address');
});

it('believes the networks that the operator allows', async () => {
  const problem = checkWith(true, [parsePrefix('10.4.0.0/16')!])({
    nodeUuid: 'n',
    url: 'http://10.4.2.3:1',
    source: 'x',
  });
  expect(await problem).toBeUndefined();
});
