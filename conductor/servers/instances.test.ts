import type { Store } from '@ingot/conductor/domain/store/store.ts';
import type { HostState } from '@ingot/conductor/scheduler/host-state.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeComputeDriver, fakeComputeDriver } from '../../test/fakes/compute/compute-driver.ts';
import {
  asking,
  IMAGE_UUID,
  serverRequest,
  startTestInstances,
  type TestInstances,
} from '../../test/fakes/compute/test-compute.ts';
import type { Server } from '../domain/compute.ts';
import { syncPowerStates } from './power-state-sync.ts';
import { prune } from './pruning.ts';
import { reportServices } from './service-report.ts';

const PAGE = { limit: 100, sortKey: 'id', sortDir: 'asc' } as const;
const admin = { ...asking, tenant: { ...asking.tenant, isAdmin: true } };

let store: Store;
let driver: FakeComputeDriver;
let test: TestInstances;

beforeAll(async () => {
  store = await openStore({ path: ':memory:' });
});
afterAll(() => store.close());

async function onMachines(hosts: readonly Partial<HostState>[]): Promise<TestInstances> {
  driver = fakeComputeDriver(hosts);
  return startTestInstances({ store, driver });
}
const machines = (count: number) => Array.from({ length: count }, (_, nth) => ({ nodename: `node-${nth}` }));

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const now = () => new Date();

async function create(changes: Parameters<typeof serverRequest>[0] = {}): Promise<Server> {
  const [server] = await test.instances.create(serverRequest(changes));
  return test.settled(server!.uuid);
}
const actionsOf = (server: Server) => store.compute.instanceActions.list({ serverUuid: server.uuid }, PAGE);

describe('building', () => {
  it('tries the alternates when it fails, and reports the last failure', async () => {
    await using one = await onMachines(machines(4));
    test = one;
    driver.fail = (verb, node) => (verb === 'spawn' && node !== 'node-2' ? `${node} broke` : undefined);
    const good = await create();
    expect(good).toMatchObject({ vmState: 'active', nodeUuid: 'node-2', fault: null, alternates: [] });
    expect(good.tried.map(({ nodename }) => nodename)).toEqual(['node-0', 'node-1']);
    const calls = ['claim node-0', 'spawn node-0', 'destroy node-0', 'claim node-1', 'spawn node-1'];
    expect(driver.calls.slice(0, 5)).toEqual(calls);
    const [{ events, message }] = (await actionsOf(good)) as [Awaited<ReturnType<typeof actionsOf>>[0]];
    expect(events.map(({ result }) => result)).toEqual(['Error', 'Error', 'Success']);
    expect([message, events[0]?.details]).toEqual([null, 'spawning on node node-0: node-0 broke']);

    // the weigher that looks at failures puts the two behind
    driver.fail = (verb) => (verb === 'spawn' ? 'all broke' : undefined);
    const bad = await create();
    expect(bad).toMatchObject({ vmState: 'error', nodeUuid: null });
    expect(bad.tried.map(({ nodename }) => nodename)).toEqual(['node-3', 'node-0', 'node-1']);
    expect(bad.fault?.message).toBe(
      `No valid host was found. Exceeded max scheduling attempts 3 for instance ${bad.uuid}. Last: all broke`,
    );
    expect([driver.placed.size, test.networks.allocated.size]).toEqual([1, 1]);
  });

  it('reports the previous failure when no host is left', async () => {
    await using one = await onMachines(machines(1));
    test = one;
    driver.fail = (verb) => (verb === 'spawn' ? 'broke' : undefined);
    const { fault } = await create();
    expect(fault?.message).toMatch(
      /^No valid host was found\. .*RetryFilter.* The attempt before failed: broke$/,
    );
  });

  it('uses another node when the node was claimed by others or its ports do not fit', async () => {
    await using one = await onMachines(machines(3));
    test = one;
    driver.fail = (verb, node) => (verb === 'claim' && node === 'node-0' ? 'taken' : undefined);
    one.networks.portless.add('node-1');
    expect(await create()).toMatchObject({ vmState: 'active', nodeUuid: 'node-2' });
    expect(one.networks.bound.size).toBe(1);
  });

  it('ends in error after a failure that every host would have', async () => {
    await using one = await onMachines(machines(3));
    test = one;
    one.networks.outOfAddresses = 'No more addresses on the network.';
    const starved = await create();
    expect(starved).toMatchObject({ vmState: 'error', nodeUuid: null, tried: [] });
    expect(starved.fault?.message).toBe('No more addresses on the network.');
    one.networks.outOfAddresses = undefined;
    const { fault } = await create({ imageUuid: 'gone' });
    expect(fault?.message).toBe('Image gone could not be found.');
    expect(driver.placed.size).toBe(0);
  });

  it('keeps a node that can not be given back, and tries again at the deletion', async () => {
    await using one = await onMachines(machines(1));
    test = one;
    driver.fail = (verb) => (verb === 'spawn' || verb === 'destroy' ? `${verb} failed` : undefined);
    const stuck = await create();
    expect(stuck).toMatchObject({ vmState: 'error', nodeUuid: 'node-0' });
    expect(stuck.fault?.message).toBe(
      'Node node-0 could not be given back: destroy failed. That was to be done because: spawn failed',
    );
    await test.instances.delete(stuck, asking);
    expect((await test.reach(stuck.uuid, 'error')).fault?.message).toBe('destroy failed');
    driver.fail = () => undefined;
    await test.instances.delete(stuck, asking);
    await test.reach(stuck.uuid, 'deleted');
    expect(driver.placed.size).toBe(0);
  });

  it('needs as many hosts as the minimum of the request', async () => {
    await using one = await onMachines(machines(2));
    test = one;
    const made = await test.instances.create(serverRequest({ minCount: 2, maxCount: 3 }));
    const ended = await Promise.all(made.map(({ uuid }) => test.settled(uuid)));
    expect(ended.map(({ name, vmState }) => [name, vmState])).toEqual([
      ['web-1', 'active'],
      ['web-2', 'active'],
      ['web-3', 'deleted'],
    ]);
    const many = await test.instances.create(serverRequest({ minCount: 2, maxCount: 2 }));
    for (const { uuid } of many) {
      expect((await test.settled(uuid)).fault?.message).toMatch(/^No valid host was found\. /);
    }
  });

  it('uses the host that an administrator names, without filters', async () => {
    await using one = await onMachines([...machines(2), { nodename: 'node-2', name: 'tiny', ramMb: 1 }]);
    test = one;
    expect(await create({ forcedPlace: { host: null, nodename: 'tiny' } })).toMatchObject({
      nodeUuid: 'node-2',
    });
    const again = await create({ forcedPlace: { host: 'compute-1', nodename: 'tiny' } });
    expect(again.fault?.message).toMatch(/in use by instance/);
  });

  it('rejects invalid requests before anything is stored', async () => {
    await using one = await onMachines([]);
    const flavor = { ...serverRequest().flavor, extraSpecs: { 'resources:CUSTOM_X': 'many' } };
    const refusal = { code: 'invalidParameter', message: expect.stringMatching(/whole number/) };
    await expect(one.instances.create(serverRequest({ flavor }))).rejects.toMatchObject(refusal);
    await expect(one.instances.explain(serverRequest({ flavor }))).rejects.toMatchObject(refusal);
    const report = await one.instances.explain(serverRequest());
    expect(report['fault']).toMatchObject({ message: expect.stringMatching(/There are no hosts/) });
  });

  it('ends when the server is deleted', async () => {
    await using one = await onMachines(machines(1));
    const spawning = Promise.withResolvers<void>();
    driver.wait = async (verb) => {
      if (verb !== 'spawn') return;
      spawning.resolve();
      await new Promise(() => undefined);
    };
    const [server] = await one.instances.create(serverRequest());
    await spawning.promise;
    await one.instances.delete(server!, asking);
    const gone = await one.reach(server!.uuid, 'deleted');
    expect(driver.placed.size).toBe(0);
    const actions = await actionsOf(gone);
    expect(actions.map(({ action, message }) => [action, message])).toEqual([
      ['create', 'Error'],
      ['delete', null],
    ]);
    expect(actions[0]?.events[0]?.details).toBe('delete was asked for meanwhile');
  });
});

describe('an existing server', () => {
  let server: Server;
  beforeEach(async () => {
    test = await onMachines(machines(1));
    server = await create();
    return () => test.instances.close();
  });

  it('obeys', async () => {
    const { instances } = test;
    const { uuid } = server;
    expect(await instances.stop(server, asking)).toMatchObject({
      vmState: 'active',
      taskState: 'powering-off',
    });
    expect(await test.reach(uuid, 'stopped')).toMatchObject({ powerState: 4 });
    const rebuild = { imageUuid: IMAGE_UUID, adminPass: 'other', name: 'db', metadata: { a: 'b' } };
    await instances.rebuild(server, rebuild, asking);
    // what was stopped is stopped again
    expect(await test.reach(uuid, 'stopped')).toMatchObject({
      name: 'db',
      metadata: { a: 'b' },
      adminPass: null,
    });
    await instances.start(server, asking);
    expect(await test.reach(uuid, 'active')).toMatchObject({ powerState: 1 });
    await instances.reboot(server, 'SOFT', asking);
    await test.reach(uuid, 'active');
    await instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    expect(await test.reach(uuid, 'rescued')).toMatchObject({ adminPass: null });
    await instances.triggerCrashDump(server, asking);
    await instances.unrescue(server, asking);
    await test.reach(uuid, 'active');
    const verbs = ['powerOff', 'rebuild', 'powerOff', 'powerOn', 'reboot', 'rescue', 'injectNmi', 'unrescue'];
    expect(driver.calls.slice(2)).toEqual(verbs.map((verb) => `${verb} node-0`));
    const actions = await actionsOf(server);
    expect(actions.every(({ finishedAt, message }) => finishedAt !== null && message === null)).toBe(true);
  });

  it('rejects verbs that its state does not allow, with the texts of Nova', async () => {
    const { uuid } = server;
    const refusal = (text: string) => ({ code: 'conflict', message: text });
    await expect(test.instances.start(server, asking)).rejects.toMatchObject(
      refusal(`Cannot 'start' instance ${uuid} while it is in vm_state active`),
    );
    const { promise: rebooted, resolve: goOn } = Promise.withResolvers<void>();
    driver.wait = () => rebooted;
    await test.instances.reboot(server, 'SOFT', asking);
    await expect(test.instances.stop(server, asking)).rejects.toMatchObject(
      refusal(`Cannot 'stop' instance ${uuid} while it is in task_state rebooting`),
    );
    goOn();
    await test.reach(uuid, 'active');

    await test.instances.lock(server, 'mine', admin);
    await expect(test.instances.stop(server, asking)).rejects.toMatchObject(
      refusal(`Instance ${uuid} is locked`),
    );
    await test.instances.unlock(server, asking);
    await test.instances.delete(server, asking);
    await test.reach(uuid, 'deleted');
    await expect(test.instances.stop(server, asking)).rejects.toMatchObject({ code: 'notFound' });
  });

  it('keeps its state when a power change fails, and goes into error when a rebuild fails', async () => {
    driver.fail = (verb) => `${verb} failed`;
    await test.instances.stop(server, asking);
    expect((await test.reach(server.uuid, 'active')).fault).toMatchObject({ message: 'powerOff failed' });
    await test.instances.rebuild(server, { imageUuid: IMAGE_UUID, adminPass: 'x' }, asking);
    await test.reach(server.uuid, 'error');
    await expect(test.instances.triggerCrashDump(server, asking)).rejects.toThrow('injectNmi failed');
    const results = (await actionsOf(server)).map(({ action, message }) => [action, message]);
    expect(results).toEqual([
      ['create', null],
      ['stop', 'Error'],
      ['rebuild', 'Error'],
      ['trigger_crash_dump', 'Error'],
    ]);
  });

  it('follows the power state of its machine', async () => {
    const sync = () => syncPowerStates({ store, driver, logger, now });
    driver.power.set(server.uuid, 4);
    await sync();
    expect(await test.find(server.uuid)).toMatchObject({ vmState: 'stopped', powerState: 4 });
    driver.power.set(server.uuid, 1);
    await sync();
    expect(await test.find(server.uuid)).toMatchObject({ vmState: 'active', powerState: 1 });
    driver.placed.delete(server.uuid);
    await sync();
    expect((await test.find(server.uuid)).fault?.message).toBe(
      'Node node-0 does not run the server any more: its instance_uuid was taken away.',
    );
  });
});

describe('housekeeping', () => {
  it('reports the three services of this host', async () => {
    const at = new Date();
    await reportServices(store, 'elsewhere', at);
    const services = await store.compute.computeServices.list({ host: 'elsewhere' }, PAGE);
    expect(services.map(({ binary }) => binary)).toEqual([
      'nova-compute',
      'nova-scheduler',
      'nova-conductor',
    ]);
    const [compute] = services;
    await store.compute.computeServices.update(
      compute!.uuid,
      { isDisabled: true, disabledReason: 'mine' },
      at,
    );
    await reportServices(store, 'elsewhere', new Date(at.getTime() + 5_000));
    const [later] = await store.compute.computeServices.list({ host: 'elsewhere' }, PAGE);
    expect(later).toMatchObject({ isDisabled: true, disabledReason: 'mine' });
    expect(later!.reportedAt!.getTime() - at.getTime()).toBe(5_000);
  });

  it('forgets deleted servers after a month', async () => {
    await using one = await onMachines(machines(1));
    test = one;
    const server = await create();
    await one.instances.delete(server, asking);
    await one.reach(server.uuid, 'deleted');
    await prune(store, new Date());
    expect(await store.compute.servers.find(server.uuid)).toBeDefined();
    await prune(store, new Date(Date.now() + 31 * 86_400_000));
    expect(await store.compute.servers.find(server.uuid)).toBeUndefined();
    expect(await actionsOf(server)).toEqual([]);
  });
});
