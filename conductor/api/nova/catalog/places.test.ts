/** Server groups, aggregates, zones, services and hypervisors. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createTestCloud,
  member,
  reader,
  type TestCloud,
  testComputeSettings,
} from '../../../../test/fakes/compute/cloud.ts';
import { serverOf } from '../../../../test/fakes/compute/records.ts';
import type { NewNode } from '../../../domain/node.ts';
import type { Recorded } from '../../../domain/resources.ts';
import { listAll } from '../../../domain/store/page.ts';
import type { RecordStore } from '../../../domain/store/records.ts';
import { novaService } from '../nova-service.ts';

const NOW = new Date(Date.UTC(2026, 0, 1, 12));
const NODE = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;
const SERVICE = '11111111-1111-4111-8111-111111111111';
const CONDUCTOR = SERVICE.replaceAll('1', '2');
const V = '/compute/v2.1';
const red = member('red');

let cloud: TestCloud;
let now = NOW;
beforeAll(async () => {
  cloud = await createTestCloud([novaService], { now: () => now });
});
afterAll(() => cloud.close());

/** Three free nodes, and a conductor that has just reported. */
beforeEach(async () => {
  now = NOW;
  const { nodes, compute } = cloud.store;
  for (const n of [1, 2, 3]) await nodes.create(nodeOf(n), NOW);
  const { host } = testComputeSettings;
  const service = { host, isDisabled: false, disabledReason: null, forcedDown: false, reportedAt: NOW };
  await compute.computeServices.create({ uuid: SERVICE, binary: 'nova-compute', ...service }, NOW);
  await compute.computeServices.create({ uuid: CONDUCTOR, binary: 'nova-conductor', ...service }, NOW);
});
afterEach(async () => {
  const { nodes, compute } = cloud.store;
  for (const n of [1, 2, 3]) await nodes.delete(NODE(n));
  for (const records of Object.values(compute) as RecordStore<Recorded>[])
    for (const { uuid } of await listAll(records, {})) await records.delete(uuid);
});

const nodeOf = (n: number): NewNode => ({
  uuid: NODE(n),
  name: `rack-${n}`,
  driver: 'fake-hardware',
  interfaces: {} as never,
  provisionState: 'available',
  properties: { cpus: '8', memory_mb: 16_384, local_gb: 100, cpu_arch: 'x86_64' },
});

/** Creates a server of the project red on a node. */
async function occupy(node: number, fields: object = {}): Promise<string> {
  const uuid = `5555555${node}-0000-4000-8000-000000000000`;
  const {
    id: _,
    createdAt: __,
    updatedAt: ___,
    ...record
  } = serverOf({
    uuid,
    projectId: 'red',
    vmState: 'active',
    taskState: null,
    host: 'conductor-1',
    nodeUuid: NODE(node),
    ...fields,
  });
  await cloud.store.compute.servers.create(record, NOW);
  await cloud.store.nodes.update(NODE(node), { instanceUuid: uuid, provisionState: 'active' }, NOW);
  return uuid;
}

describe('server groups', () => {
  const path = `${V}/os-server-groups`;
  it('have a list of policies up to 2.63 and one with rules from 2.64 on', async () => {
    const old = await cloud.call(
      'POST',
      path,
      { server_group: { name: 'old', policies: ['affinity'] } },
      { as: red },
    );
    const { id } = old.body.server_group;
    expect(old.body.server_group).toEqual({
      id,
      name: 'old',
      policies: ['affinity'],
      metadata: {},
      members: [],
    });
    const server_group = { name: 'new', policy: 'anti-affinity', rules: { max_server_per_host: '2' } };
    const made = await cloud.call('POST', path, { server_group }, { minor: 64, as: red });
    expect(made.body.server_group).toEqual({
      ...{ id: made.body.server_group.id, name: 'new', policy: 'anti-affinity' },
      ...{ rules: { max_server_per_host: 2 }, members: [], project_id: 'red', user_id: red.user },
    });
    const member1 = await occupy(1, { serverGroupUuid: id });
    await occupy(2, { serverGroupUuid: id, vmState: 'deleted' });
    const shown = await cloud.call('GET', `${path}/${id}`, undefined, { minor: 64, as: reader('red') });
    expect(shown.body.server_group).toMatchObject({ policy: 'affinity', rules: {}, members: [member1] });
  });

  it('belong to a project: others see none, administrators see all', async () => {
    const made = await cloud.call(
      'POST',
      path,
      { server_group: { name: 'a', policies: ['affinity'] } },
      { as: red },
    );
    const one = `${path}/${made.body.server_group.id}`;
    for (const method of ['GET', 'DELETE']) {
      const { status } = await cloud.call(method, one, undefined, { as: member('blue') });
      expect(status).toBe(404);
    }
    const count = async (query: string, as?: typeof red) =>
      (await cloud.call('GET', path + query, undefined, as ? { as } : {})).body.server_groups.length;
    expect(await count('?all_projects', member('blue'))).toBe(0);
    expect([
      await count(''),
      await count('?all_projects=True'),
      await count('?all_projects&offset=1'),
    ]).toEqual([0, 1, 0]);
    expect((await cloud.call('DELETE', one, undefined, { as: reader('red') })).status).toBe(403);
    expect((await cloud.call('DELETE', one, undefined, { as: red })).status).toBe(204);
  });

  it.each([
    [1, { policies: ['soft-affinity'] }, 'is not one of'],
    [15, { policies: [] }, 'too short'],
    [15, { policies: ['affinity', 'affinity'] }, 'too long'],
    [15, { policy: 'affinity' }, "'policy' was unexpected"],
    [64, { policies: ['affinity'] }, "'policies' was unexpected"],
    [
      64,
      { policy: 'affinity', rules: { max_server_per_host: 2 } },
      'Only anti-affinity policy supports rules.',
    ],
    [64, { policy: 'anti-affinity', rules: { max_server_per_host: 0 } }, 'minimum of 1'],
  ])('at 2.%i %o is refused', async (minor, fields, reason) => {
    const { status, body } = await cloud.call(
      'POST',
      path,
      { server_group: { name: 'x', ...fields } },
      { minor },
    );
    expect([status, body.badRequest?.message]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('aggregates', () => {
  const path = `${V}/os-aggregates`;
  const make = async (name: string, zone?: string): Promise<number> => {
    const aggregate = { name, ...(zone === undefined ? {} : { availability_zone: zone }) };
    return (await cloud.call('POST', path, { aggregate })).body.aggregate.id;
  };
  const act = (id: number, action: object) => cloud.call('POST', `${path}/${id}/action`, action);
  const add = (id: number, host: string) => act(id, { add_host: { host } });

  it('can be created, shown, changed and deleted', async () => {
    const made = await cloud.call(
      'POST',
      path,
      { aggregate: { name: 'fast', availability_zone: 'z1' } },
      { minor: 41 },
    );
    const { id } = made.body.aggregate;
    expect(made.body.aggregate).toEqual({
      ...{ id, uuid: expect.any(String), name: 'fast', availability_zone: 'z1', updated_at: null },
      ...{ created_at: '2026-01-01T12:00:00.000000', deleted: false, deleted_at: null },
    });
    expect((await add(id, 'rack-1')).body.aggregate).toMatchObject({ hosts: ['rack-1'] });
    const set = await act(id, { set_metadata: { metadata: { ssd: 'true', gone: null } } });
    expect(set.body.aggregate.metadata).toEqual({ availability_zone: 'z1', ssd: 'true' });
    expect(set.body.aggregate.uuid).toBeUndefined();
    const put = await cloud.call('PUT', `${path}/${id}`, {
      aggregate: { name: 'faster', availability_zone: 'z2' },
    });
    expect(put.body.aggregate).toMatchObject({ name: 'faster', availability_zone: 'z2' });
    expect((await cloud.call('DELETE', `${path}/${id}`)).body.badRequest.message).toContain('not empty');
    expect((await act(id, { remove_host: { host: NODE(1) } })).body.aggregate.hosts).toEqual([]);
    expect((await act(id, { remove_host: { host: 'rack-1' } })).body.itemNotFound.message).toBe(
      `Cannot remove host rack-1 in aggregate ${id}`,
    );
    expect((await cloud.call('DELETE', `${path}/${id}`)).status).toBe(200);
    expect((await cloud.call('GET', path)).body).toEqual({ aggregates: [] });
  });

  it('contain a host only once under all its names, and only existing hosts', async () => {
    const id = await make('a');
    await add(id, 'rack-1');
    for (const host of ['rack-1', NODE(1)])
      expect((await add(id, host)).body.conflictingRequest.message).toBe(
        `Aggregate ${id} already has host ${host}.`,
      );
    expect((await add(id, 'rack-9')).body.itemNotFound.message).toBe(
      'Compute host rack-9 could not be found.',
    );
  });

  it.each([
    ['rack-1', 'rack-1'],
    ['rack-1', NODE(1)],
    ['conductor-1', 'rack-2'],
    ['rack-2', 'conductor-1'],
  ])('put %s in one zone, and %s in no other', async (first, second) => {
    await add(await make('a', 'z1'), first);
    const other = await make('b', 'z2');
    expect((await add(other, second)).body.conflictingRequest.message).toBe(
      `Cannot add host to aggregate ${other}. Reason: One or more hosts already in availability zone(s) ['z1'].`,
    );
    const plain = await make('c');
    await add(plain, second);
    const set = await act(plain, { set_metadata: { metadata: { availability_zone: 'z3' } } });
    expect(set.body.badRequest.message).toContain("already in availability zone(s) ['z1']");
    expect((await act(plain, { set_metadata: { metadata: { availability_zone: 'z1' } } })).status).toBe(200);
  });

  it('do not change the zone of machines in use', async () => {
    const id = await make('a', 'z1');
    await add(id, 'rack-1');
    await occupy(1);
    const set = await act(id, { set_metadata: { metadata: { availability_zone: 'z2' } } });
    expect(set.body.badRequest.message).toContain('contain instances');
  });

  it.each([
    ['POST', '', { aggregate: { name: 'x', availability_zone: 'a:b' } }, 400],
    ['POST', '', { aggregate: { name: 'x', hosts: [] } }, 400],
    ['GET', '/one', undefined, 400],
    ['GET', '/999999', undefined, 404],
    ['GET', `/${'9'.repeat(40)}`, undefined, 400],
    ['PUT', '/1', { aggregate: {} }, 400],
    ['PUT', '/1', { aggregate: { availability_zone: null } }, 400],
    ['POST', '/1/action', {}, 400],
    ['POST', '/1/action', { add_host: { host: 'a b' } }, 400],
    ['POST', '/1/action', { add_host: { host: 'rack-1' }, remove_host: { host: 'rack-1' } }, 400],
    ['POST', '/1/action', { set_metadata: { metadata: { a: 1 } } }, 400],
  ])('%s %s %o is %i', async (method, tail, body, status) => {
    const url = path + tail.replace('/1', `/${await make('first')}`);
    expect((await cloud.call(method, url, body)).status).toBe(status);
    expect((await cloud.call(method, url, body, { as: red })).status).toBe(403);
  });

  it('make zones', async () => {
    const ask = async (tail = '') =>
      (await cloud.call('GET', `${V}/os-availability-zone${tail}`)).body.availabilityZoneInfo;
    const zone = (zoneName: string, hosts: object | null = null) => ({
      zoneName,
      zoneState: { available: true },
      hosts,
    });
    expect(await ask()).toEqual([zone('nova')]);
    const id = await make('a', 'z1');
    await add(id, 'rack-1');
    expect(await ask()).toEqual([zone('nova'), zone('z1')]);
    const state = { available: true, active: true, updated_at: '2026-01-01T12:00:00.000000' };
    const hosts = { 'conductor-1': { 'nova-compute': state } };
    const internal = zone('internal', { 'conductor-1': { 'nova-conductor': state } });
    expect(await ask('/detail')).toEqual([internal, zone('nova', hosts), zone('z1', hosts)]);
    await act(id, { remove_host: { host: 'rack-1' } });
    await add(id, 'conductor-1');
    expect(await ask()).toEqual([zone('z1')]);
    await cloud.store.compute.computeServices.update(SERVICE, { isDisabled: true }, NOW);
    expect(await ask()).toEqual([{ ...zone('z1'), zoneState: { available: false } }]);
    expect((await cloud.call('GET', `${V}/os-availability-zone/detail`, undefined, { as: red })).status).toBe(
      403,
    );
  });
});

describe('services', () => {
  const path = `${V}/os-services`;
  const listed = async (minor: number, query = '') =>
    (await cloud.call('GET', path + query, undefined, { minor })).body.services;

  it('are listed with their state, filtered by host and binary', async () => {
    const [first] = await listed(1, '?binary=nova-compute');
    expect(first).toEqual({
      ...{
        id: expect.any(Number),
        binary: 'nova-compute',
        host: 'conductor-1',
        zone: 'nova',
        status: 'enabled',
        state: 'up',
      },
      ...{ updated_at: '2026-01-01T12:00:00.000000', disabled_reason: null },
    });
    expect((await listed(53))[0]).toEqual({ ...first, id: SERVICE, forced_down: false });
    expect((await listed(53)).map(({ zone }: { zone: string }) => zone)).toEqual(['nova', 'internal']);
    expect(await listed(53, '?host=nobody')).toEqual([]);
    now = new Date(NOW.getTime() + testComputeSettings.serviceDownMs + 1);
    expect((await listed(53))[0].state).toBe('down');
    expect((await cloud.call('GET', path, undefined, { as: red })).status).toBe(403);
  });

  it('are enabled, disabled and forced down by name up to 2.52', async () => {
    const put = (action: string, more: object = {}, minor = 11) =>
      cloud.call(
        'PUT',
        `${path}/${action}`,
        { host: 'conductor-1', binary: 'nova-compute', ...more },
        { minor },
      );
    const named = { host: 'conductor-1', binary: 'nova-compute' };
    expect((await put('disable-log-reason', { disabled_reason: 'dust' })).body).toEqual({
      service: { ...named, status: 'disabled', disabled_reason: 'dust' },
    });
    expect((await listed(11))[0]).toMatchObject({ status: 'disabled', disabled_reason: 'dust' });
    expect((await put('enable')).body).toEqual({ service: { ...named, status: 'enabled' } });
    expect((await put('force-down', { forced_down: 'true' })).body).toEqual({
      service: { ...named, forced_down: true },
    });
    expect((await listed(11))[0]).toMatchObject({ state: 'down', forced_down: true, disabled_reason: null });
    expect((await put('disable')).body.service.status).toBe('disabled');
    for (const [action, more, minor, status] of [
      ['disable-log-reason', {}, 11, 400],
      ['force-down', {}, 11, 400],
      ['force-down', {}, 10, 404],
      ['explode', {}, 11, 404],
      ['enable', { host: 'nobody' }, 11, 404],
      ['enable', { binary: 'nova-conductor' }, 11, 400],
      ['enable', { forced_down: true }, 10, 400],
    ] as const)
      expect([action, (await put(action, more, minor)).status]).toEqual([action, status]);
  });

  it('are changed by uuid from 2.53 on', async () => {
    const put = (body: object, id = SERVICE) => cloud.call('PUT', `${path}/${id}`, body, { minor: 53 });
    const { body } = await put({ status: 'disabled', disabled_reason: 'dust', forced_down: true });
    expect(body.service).toMatchObject({
      id: SERVICE,
      status: 'disabled',
      disabled_reason: 'dust',
      state: 'down',
    });
    expect((await put({ status: 'enabled', forced_down: false })).body.service).toMatchObject({
      ...{ status: 'enabled', disabled_reason: null, state: 'up' },
    });
    expect((await put({ disabled_reason: 'x' })).body.badRequest.message).toContain(
      'No updates were requested',
    );
    expect((await put({ status: 'enabled', disabled_reason: 'x' })).status).toBe(400);
    expect((await put({ status: 'asleep' })).status).toBe(400);
    expect((await put({ status: 'enabled' }, 'one')).body.badRequest.message).toBe('Invalid uuid one');
    expect((await put({ status: 'enabled' }, NODE(1))).status).toBe(404);
    expect((await put({ status: 'enabled' }, CONDUCTOR)).body.badRequest.message).toContain(
      'Updating a nova-conductor service is not supported',
    );
  });

  it('can be deleted when they are down and have no servers, and then leave their aggregates', async () => {
    const remove = () => cloud.call('DELETE', `${path}/${SERVICE}`, undefined, { minor: 53 });
    expect((await remove()).body.conflictingRequest.message).toContain('it is up');
    now = new Date(NOW.getTime() + 120_000);
    const server = await occupy(1);
    expect((await remove()).body.conflictingRequest.message).toContain('hosting instances');
    await cloud.store.compute.servers.update(server, { vmState: 'deleted' }, NOW);
    const { aggregates } = cloud.store.compute;
    await aggregates.create(
      { uuid: NODE(9), name: 'a', hosts: ['conductor-1', 'rack-1'], metadata: {} },
      NOW,
    );
    expect((await remove()).status).toBe(204);
    expect(await aggregates.find('a')).toMatchObject({ hosts: ['rack-1'] });
    expect((await remove()).status).toBe(404);
  });
});

describe('hypervisors', () => {
  const path = `${V}/os-hypervisors`;
  /** Row numbers continue from test to test. */
  const rowOf = async (node: number) => (await cloud.store.nodes.find(NODE(node)))?.id;
  const get = (tail: string, minor = 53) => cloud.call('GET', path + tail, undefined, { minor });

  it('are nodes, used completely or not at all', async () => {
    await occupy(1);
    const free = {
      ...{ hypervisor_hostname: NODE(2), state: 'up', status: 'enabled', hypervisor_type: 'ironic' },
      ...{ hypervisor_version: 1, host_ip: null, vcpus: 8, memory_mb: 16_384, local_gb: 100, vcpus_used: 0 },
      ...{ memory_mb_used: 0, local_gb_used: 0, free_ram_mb: 16_384, free_disk_gb: 100 },
      ...{ disk_available_least: 100, current_workload: 0, running_vms: 0 },
    };
    const service = { host: 'conductor-1', disabled_reason: null };
    expect((await get(`/${await rowOf(2)}`, 27)).body.hypervisor).toEqual({
      ...{
        ...free,
        id: await rowOf(2),
        service: { ...service, id: expect.any(Number) },
        cpu_info: '{"arch":"x86_64"}',
      },
    });
    expect((await get(`/${NODE(2)}`)).body.hypervisor).toEqual({
      ...{ ...free, id: NODE(2), service: { ...service, id: SERVICE }, cpu_info: { arch: 'x86_64' } },
    });
    expect((await get('/detail')).body.hypervisors[0]).toMatchObject({
      ...{ vcpus_used: 8, memory_mb_used: 16_384, local_gb_used: 100, free_ram_mb: 0, running_vms: 1 },
    });
    const brief = { id: NODE(2), hypervisor_hostname: NODE(2), state: 'up', status: 'enabled' };
    expect((await get('')).body.hypervisors[1]).toEqual(brief);
    expect((await get('/statistics')).body.hypervisor_statistics).toMatchObject({
      ...{ count: 3, vcpus: 24, vcpus_used: 8, running_vms: 1, free_disk_gb: 200 },
    });
    expect((await get(`/${await rowOf(1)}/uptime`, 1)).body.notImplemented.code).toBe(501);
  });

  it('are found by pattern, with their servers', async () => {
    const uuid = await occupy(1);
    const servers = [{ name: 'web-1', uuid }];
    expect((await get('/rack-1/search', 52)).body.hypervisors).toHaveLength(1);
    expect((await get(`/${NODE(1)}/servers`, 52)).body.hypervisors[0]).toMatchObject({
      id: await rowOf(1),
      servers,
    });
    const found = (await get('?hypervisor_hostname_pattern=RACK&with_servers=1')).body.hypervisors;
    expect(found.map((one: { servers?: unknown }) => one.servers)).toEqual([servers, undefined, undefined]);
    expect((await get(`/${NODE(1)}?with_servers=True`)).body.hypervisor.servers).toEqual(servers);
    expect((await get('?hypervisor_hostname_pattern=none')).body.itemNotFound.message).toBe(
      "No hypervisor matching 'none' could be found.",
    );
  });

  it('are machines without their child nodes', async () => {
    const card = { ...nodeOf(4), name: 'card', parentNode: NODE(1) };
    await cloud.store.nodes.create(card, NOW);
    expect((await get('')).body.hypervisors).toHaveLength(3);
    expect((await get(`/${NODE(4)}`)).status).toBe(404);
    await cloud.store.nodes.delete(NODE(4));
  });

  it('come in pages from 2.33 on', async () => {
    expect((await get('?limit=1', 32)).body.hypervisors).toHaveLength(3);
    const { body } = await get(`/detail?limit=1&marker=${await rowOf(1)}`, 33);
    expect([body.hypervisors[0].id, body.hypervisors_links[0].href]).toEqual([
      await rowOf(2),
      `http://cloud.test/compute/v2.1/os-hypervisors/detail?limit=1&marker=${await rowOf(2)}`,
    ]);
    expect((await get(`?limit=2&marker=${NODE(1)}`)).body.hypervisors).toHaveLength(2);
  });

  it.each([
    ['?limit=1&hypervisor_hostname_pattern=rack', 53, 400],
    ['?other=1', 53, 400],
    ['?other=1', 52, 200],
    ['?with_servers=perhaps', 53, 400],
    ['/one', 53, 400],
    ['/one', 52, 404],
    [`/${NODE(9)}`, 53, 404],
    ['/rack/search', 53, 404],
  ])('%s at 2.%i is %i', async (tail, minor, status) => {
    expect((await get(tail, minor)).status).toBe(status);
    expect((await cloud.call('GET', path + tail, undefined, { minor, as: red })).status).toBe(403);
  });
});

describe('limits, quotas and usage', () => {
  it('show usage also without a limit', async () => {
    await occupy(1, { launchedAt: new Date(NOW.getTime() - 7_200_000) });
    await occupy(2, { vmState: 'deleted' });
    const { body } = await cloud.call('GET', `${V}/limits`, undefined, { as: red, minor: 57 });
    expect(body.limits.absolute).toEqual({
      ...{ maxTotalInstances: -1, maxTotalCores: -1, maxTotalRAMSize: -1, maxTotalKeypairs: -1 },
      ...{ maxServerMeta: 128, maxServerGroups: -1, maxServerGroupMembers: -1 },
      ...{ totalInstancesUsed: 1, totalCoresUsed: 4, totalRAMUsed: 8192, totalServerGroupsUsed: 0 },
    });
    const old = await cloud.call('GET', `${V}/limits?tenant_id=red`, undefined, { minor: 1 });
    expect(old.body.limits.absolute).toMatchObject({
      totalInstancesUsed: 1,
      maxImageMeta: 128,
      maxPersonality: 5,
    });
    const quota = await cloud.call('GET', `${V}/os-quota-sets/red/detail`, undefined, { as: red, minor: 57 });
    expect(quota.body.quota_set.cores).toEqual({ limit: -1, in_use: 4, reserved: 0 });
    const usage = await cloud.call(
      'GET',
      `${V}/os-simple-tenant-usage/red?start=2026-01-01T11:00:00`,
      undefined,
      { as: red },
    );
    expect(usage.body.tenant_usage).toMatchObject({
      ...{ tenant_id: 'red', total_hours: 1, total_vcpus_usage: 4, start: '2026-01-01T11:00:00.000000' },
      server_usages: [{ hours: 1, uptime: 7200, state: 'active', flavor: 'bm', ended_at: null }],
    });
    const exact = '2026-01-01T10:00:00.123456';
    const until = await cloud.call(
      'GET',
      `${V}/os-simple-tenant-usage/red?start=${exact}&end=2026-01-01T11:00:00.5`,
    );
    expect(until.body.tenant_usage).toMatchObject({ start: exact, stop: '2026-01-01T11:00:00.500000' });
    const all = await cloud.call('GET', `${V}/os-simple-tenant-usage?start=2026-01-01T11:00:00`);
    expect(all.body.tenant_usages).toHaveLength(1);
    expect(all.body.tenant_usages[0].server_usages).toBeUndefined();
  });

  it.each([
    ['/limits?tenant_id=blue', 403],
    ['/os-quota-sets/blue', 403],
    ['/os-quota-sets/red/defaults', 200],
    ['/os-simple-tenant-usage/blue', 403],
    ['/os-simple-tenant-usage', 403],
    ['/os-simple-tenant-usage/red?start=yesterday', 400],
    ['/os-simple-tenant-usage/red?start=2026-13-01T00:00:00', 400],
    ['/os-simple-tenant-usage/red?start=2027-01-01T00:00:00', 400],
    ['/extensions', 200],
    ['/extensions/os-nothing', 404],
    ['/os-aggregates/-1', 403],
  ])('%s is %i for a member of red', async (tail, status) => {
    expect((await cloud.call('GET', V + tail, undefined, { as: red })).status).toBe(status);
  });
});

describe('scheduling reports', () => {
  const path = `${V}/scheduler/reports`;
  it('belong to a project and hide machines; administrators see everything', async () => {
    const report = { hosts: 3, filters: [], fault: null, removed: [{ host: 'secret', reason: 'x' }] };
    const uuid = NODE(7);
    const stored = { uuid, requestId: 'req-1', projectId: 'red', serverUuids: [NODE(8)], report };
    await cloud.store.compute.schedulingReports.create(stored, NOW);
    const list = await cloud.call('GET', `${path}?request_id=req-1&server_id=${NODE(8)}`, undefined, {
      as: red,
    });
    const summary = {
      ...{ id: uuid, request_id: 'req-1', project_id: 'red', server_ids: [NODE(8)] },
      ...{ created_at: '2026-01-01T12:00:00.000000', links: expect.any(Array) },
    };
    expect(list.body).toEqual({ reports: [summary] });
    const { removed: _, ...forOwners } = report;
    const shown = (as?: typeof red) => cloud.call('GET', `${path}/${uuid}`, undefined, as ? { as } : {});
    expect((await shown(red)).body).toEqual({ report: { ...summary, ...forOwners } });
    expect((await shown()).body).toEqual({ report: { ...summary, ...report } });
    expect((await shown(member('blue'))).status).toBe(404);
    for (const query of ['?request_id=req-2', `?server_id=${NODE(9)}`])
      expect((await cloud.call('GET', path + query)).body.reports).toEqual([]);
    expect((await cloud.call('GET', `${path}?colour=red`)).status).toBe(400);
  });
});
