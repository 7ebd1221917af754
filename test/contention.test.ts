/**
 * Other writers change the store at the same time: what the product has checked must still be true when it writes,
 * and the work of its transactions may run more than once.
 */

import { createRamdiskIntake } from '@ingot/conductor/agent-link/ramdisk-intake.ts';
import { createNetworkService } from '@ingot/conductor/api/neutron/network-service.ts';
import { novaService } from '@ingot/conductor/api/nova/nova-service.ts';
import type { Mac } from '@ingot/conductor/domain/boot.ts';
import { listAll } from '@ingot/conductor/domain/store/page.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestApi } from './fakes/api.ts';
import { testCallbackCheck } from './fakes/callback-check.ts';
import { admin, createTestCloud } from './fakes/compute/cloud.ts';
import { serverOf } from './fakes/compute/records.ts';
import { contendedStore } from './fakes/contended-store.ts';
import { quietLogger } from './fakes/engine-deps.ts';
import { startTestEngine } from './fakes/test-engine.ts';
import { NO_TRUST_EVENTS } from './fakes/trust-events.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const V = '/compute/v2.1';

async function contended(options: { readonly reruns?: boolean } = {}) {
  const inner = await openStore({ path: ':memory:' });
  onTestFinished(() => inner.close());
  return contendedStore(inner, options);
}

async function bareMetalApi(store: Store) {
  const { api, close } = await createTestApi({}, undefined, undefined, store);
  onTestFinished(close);
  const headers = { 'x-openstack-ironic-api-version': '1.112', 'content-type': 'application/json' };
  return async (method: 'PUT' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    (await api.inject({ method, url, headers, ...(payload && { payload }) })).statusCode;
}

async function cloud(store: Store) {
  const opened = await createTestCloud([novaService, createNetworkService(null)], { store });
  onTestFinished(() => opened.close());
  return opened;
}

describe('beside another writer', () => {
  it('a chassis is not deleted when another writer adds a node to it', async () => {
    const { store, beforeNextTransaction } = await contended();
    const call = await bareMetalApi(store);
    const { uuid } = await store.chassis.create({ uuid: crypto.randomUUID() }, NOW);
    const node = { uuid: crypto.randomUUID(), driver: 'fake-hardware', provisionState: 'enroll' } as const;
    beforeNextTransaction(({ nodes }) =>
      nodes.create({ ...node, interfaces: {} as never, chassisUuid: uuid }, NOW),
    );
    expect(await call('DELETE', `/v1/chassis/${uuid}`)).toBe(400);
    expect(await store.chassis.find(uuid)).toBeDefined();
  });

  it('a trait that another writer adds to a runbook is kept', async () => {
    const { store, beforeNextTransaction } = await contended();
    const call = await bareMetalApi(store);
    const { uuid } = await store.runbooks.create({ uuid: crypto.randomUUID(), name: 'r', steps: [] }, NOW);
    beforeNextTransaction(({ runbooks }) => runbooks.update(uuid, { traits: ['CUSTOM_A'] }, NOW));
    expect(await call('PUT', `/v1/runbooks/${uuid}/traits/CUSTOM_B`)).toBe(204);
    expect((await store.runbooks.get(uuid)).traits).toEqual(['CUSTOM_A', 'CUSTOM_B']);
  });

  it('a runbook that another writer makes public gets no owner', async () => {
    const { store, beforeNextTransaction } = await contended();
    const call = await bareMetalApi(store);
    const { uuid } = await store.runbooks.create({ uuid: crypto.randomUUID(), name: 'r', steps: [] }, NOW);
    beforeNextTransaction(({ runbooks }) => runbooks.update(uuid, { public: true }, NOW));
    const patch = [{ op: 'add', path: '/owner', value: 'blue' }];
    expect(await call('PATCH', `/v1/runbooks/${uuid}`, patch)).toBeGreaterThanOrEqual(400);
    expect(await store.runbooks.get(uuid)).toMatchObject({ public: true, owner: null });
  });

  it('an inspection that another writer aborts stores no data of the ramdisk', async () => {
    const { store, beforeNextTransaction } = await contended();
    const intake = createRamdiskIntake({
      store,
      logger: quietLogger,
      now: () => NOW,
      wake: () => undefined,
      callbackProblem: testCallbackCheck(store),
      trust: NO_TRUST_EVENTS,
      allowPlaintext: true,
    });
    const uuid = crypto.randomUUID();
    const address = '52:54:00:00:00:01' as Mac;
    const record = { uuid, driver: 'fake-hardware', provisionState: 'inspect wait' } as const;
    await store.nodes.create({ ...record, interfaces: {} as never }, NOW);
    await store.ports.create({ uuid: crypto.randomUUID(), nodeUuid: uuid, address }, NOW);
    beforeNextTransaction(({ nodes }) => nodes.update(uuid, { provisionState: 'inspect failed' }, NOW));
    const inventory = { interfaces: [{ name: 'eth0', mac_address: address }] };
    const told = intake.continueInspection({
      inventory,
      pluginData: {},
      nodeUuid: uuid,
      source: '192.0.2.9',
    });
    await expect(told).rejects.toMatchObject({ code: 'notFound' });
    expect(await store.inventory.get(uuid)).toBeUndefined();
    expect((await store.nodes.get(uuid)).inspectionFinishedAt).toBeNull();
  });

  it('a compute service is not deleted when another writer adds a server to it', async () => {
    const { store, beforeNextTransaction } = await contended();
    const { call } = await cloud(store);
    const uuid = crypto.randomUUID();
    const service = { uuid, binary: 'nova-compute', host: 'old', isDisabled: false } as const;
    await store.compute.computeServices.create({ ...service, reportedAt: new Date(0) }, NOW);
    const { id: _id, createdAt: _at, updatedAt: _up, ...server } = serverOf({ host: 'old' });
    beforeNextTransaction(({ compute }) => compute.servers.create(server, NOW));
    const { status } = await call('DELETE', `${V}/os-services/${uuid}`, undefined, { minor: 53 });
    expect(status).toBe(409);
    expect(await store.compute.computeServices.find(uuid)).toBeDefined();
  });

  it('a key pair that another writer creates causes the usual error', async () => {
    const { store, beforeNextTransaction } = await contended();
    const { call } = await cloud(store);
    const key = { name: 'k', type: 'ssh', publicKey: 'ssh-ed25519 AAAA', fingerprint: 'f' } as const;
    const uuid = crypto.randomUUID();
    beforeNextTransaction(({ compute }) =>
      compute.keypairs.create({ ...key, uuid, userId: admin.user ?? '' }, NOW),
    );
    const { status, body } = await call('POST', `${V}/os-keypairs`, { keypair: { name: 'k' } });
    expect([status, body.conflictingRequest.message]).toEqual([409, "Key pair 'k' already exists."]);
  });
});

describe('transactions that run twice', () => {
  it('deploy a node and delete its instance', async () => {
    const contention = await contended({ reruns: true });
    await using test = await startTestEngine({ store: contention.store });
    const uuid = await test.enroll({ fake_wait: ['deploy.deploy'] });
    await test.go(uuid, 'manage', 'manageable');
    await test.go(uuid, 'provide', 'available');
    await test.go(uuid, 'active', 'active');
    await test.go(uuid, 'deleted', 'available');
    expect(contention.rerun).toBeGreaterThan(10);
    const operations = await contention.store.operations.list(uuid, 100);
    expect(operations.map(({ kind, state }) => [kind, state])).toEqual([
      ['clean', 'done'],
      ['delete', 'done'],
      ['deploy', 'done'],
      ['clean', 'done'],
      ['verify', 'done'],
    ]);
  });

  it('create each network, subnet, port and flavor once', async () => {
    const contention = await contended({ reruns: true });
    const { call, store } = await cloud(contention.store);
    const made = async (path: string, body: object) => {
      const { status, body: answer } = await call('POST', path, body);
      expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code < 300)]);
      return answer;
    };
    const N = '/network/v2.0';
    const { network } = await made(`${N}/networks`, { network: { name: 'n' } });
    const subnet = { network_id: network.id, ip_version: 4, cidr: '10.9.0.0/24' };
    await made(`${N}/subnets`, { subnet });
    await made(`${N}/ports`, { port: { network_id: network.id } });
    await made(`${V}/flavors`, { flavor: { name: 'f', ram: 1, vcpus: 1, disk: 1 } });
    const { networks, subnets, networkPorts, ipAllocations, flavors } = store.compute;
    const counts = [networks, subnets, networkPorts, ipAllocations, flavors].map(
      async (records) => (await listAll(records as typeof networks, {})).length,
    );
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1, 1]);
    expect(contention.rerun).toBe(4);
  });
});
