import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, member, reader } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  SERVERS,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';

let test: TestServersApi;
beforeAll(async () => {
  test = await createTestServersApi();
});
afterAll(() => test.close());

const ANN = member('blue', 'ann');
const show = async (id: string, minor = 1, as = ANN) =>
  (await test.call('GET', `${SERVERS}/${id}`, undefined, { minor, as })).body.server;

/** As in Nova's samples of GET /servers/{id}. */
// biome-ignore format: names
const FIRST = [
  'OS-DCF:diskConfig', 'OS-EXT-AZ:availability_zone', 'OS-EXT-STS:power_state', 'OS-EXT-STS:task_state',
  'OS-EXT-STS:vm_state', 'OS-SRV-USG:launched_at', 'OS-SRV-USG:terminated_at', 'accessIPv4', 'accessIPv6', 'addresses',
  'config_drive', 'created', 'flavor', 'hostId', 'id', 'image', 'key_name', 'links', 'metadata', 'name',
  'os-extended-volumes:volumes_attached', 'progress', 'status', 'tenant_id', 'updated', 'user_id',
];
const LATER: readonly (readonly [number, string])[] = [
  [9, 'locked'],
  [19, 'description'],
  [26, 'tags'],
  [63, 'trusted_image_certificates'],
  [71, 'server_groups'],
  [73, 'locked_reason'],
];
const ADMINS = [
  'OS-EXT-SRV-ATTR:host',
  'OS-EXT-SRV-ATTR:hypervisor_hostname',
  'OS-EXT-SRV-ATTR:instance_name',
];
const ADMINS_3 = [
  ...[
    'hostname',
    'kernel_id',
    'launch_index',
    'ramdisk_id',
    'reservation_id',
    'root_device_name',
    'user_data',
  ].map((name) => `OS-EXT-SRV-ATTR:${name}`),
];
const keysAt = (minor: number) => [
  ...FIRST,
  ...LATER.flatMap(([since, key]) => (since <= minor ? [key] : [])),
];

describe('GET /servers/{id}', () => {
  it.each([1, 2, 3, 8, 9, 16, 19, 26, 47, 54, 57, 63, 71, 73])('has the fields of 2.%i', async (minor) => {
    const id = await test.running({}, { as: ANN });
    expect(Object.keys(await show(id, minor)).sort()).toEqual(keysAt(minor).sort());
    const hidden = [...ADMINS, ...(minor >= 3 ? ADMINS_3 : []), ...(minor >= 16 ? ['host_status'] : [])];
    expect(Object.keys(await show(id, minor, admin)).sort()).toEqual([...keysAt(minor), ...hidden].sort());
  });

  it('shows the current values', async () => {
    const id = await test.running({ metadata: { a: 'b' } }, { as: ANN });
    const { addresses, ...shown } = await show(id, 73, admin);
    expect(shown).toMatchObject({
      id,
      name: 'web',
      status: 'ACTIVE',
      progress: 100,
      tenant_id: 'blue',
      user_id: 'ann',
      created: '2026-01-01T00:00:00Z',
      'OS-SRV-USG:launched_at': '2026-01-01T00:00:00.000000',
      'OS-EXT-STS:vm_state': 'active',
      'OS-EXT-STS:power_state': 1,
      'OS-EXT-AZ:availability_zone': 'nova',
      'OS-EXT-SRV-ATTR:host': 'conductor-1',
      'OS-EXT-SRV-ATTR:instance_name': `instance-${id.slice(0, 8)}`,
      hostId: expect.stringMatching(/^[0-9a-f]{56}$/),
      host_status: 'UNKNOWN',
      config_drive: 'True',
      image: {
        id: test.imageRef,
        links: [{ rel: 'bookmark', href: `http://cloud.test/compute/images/${test.imageRef}` }],
      },
      flavor: {
        original_name: 'bm',
        vcpus: 4,
        ram: 8192,
        disk: 40,
        ephemeral: 0,
        swap: 0,
        extra_specs: { trait: 'x' },
      },
      metadata: { a: 'b' },
      server_groups: [],
    });
    const [port] = await test.store.compute.networkPorts.list(
      { deviceId: id },
      { limit: 1, sortKey: 'id', sortDir: 'asc' },
    );
    expect(addresses).toEqual({
      rack: [
        {
          version: 4,
          addr: port?.fixedIps[0]?.ipAddress,
          'OS-EXT-IPS:type': 'fixed',
          'OS-EXT-IPS-MAC:mac_addr': port?.macAddress,
        },
      ],
    });
    expect((await show(id)).flavor).toEqual({
      id: '42',
      links: [{ rel: 'bookmark', href: 'http://cloud.test/compute/flavors/42' }],
    });
  });

  it('shows the host to administrators, and its zone to all', async () => {
    const { compute } = test.store;
    const id = await test.running({}, { as: ANN });
    const node = (await compute.servers.find(id))?.nodeUuid ?? '';
    const at = new Date();
    const zone = await compute.aggregates.create(
      { uuid: randomUUID(), name: 'north', hosts: [node], metadata: { availability_zone: 'north' } },
      at,
    );
    expect((await show(id))['OS-EXT-AZ:availability_zone']).toBe('north');
    await test.store.nodes.update(node, { name: 'rack1-u7' }, at);
    await compute.aggregates.update(zone.uuid, { hosts: ['rack1-u7'] }, at);
    expect((await show(id))['OS-EXT-AZ:availability_zone']).toBe('north');
    await compute.aggregates.delete(zone.uuid);

    const service = await compute.computeServices.create(
      {
        uuid: randomUUID(),
        binary: 'nova-compute',
        host: 'conductor-1',
        isDisabled: false,
        disabledReason: null,
        forcedDown: false,
        reportedAt: test.deps.now(),
      },
      at,
    );
    const status = async () => (await show(id, 16, admin)).host_status;
    expect(await status()).toBe('UP');
    test.wait(61_000);
    expect(await status()).toBe('DOWN');
    await compute.computeServices.update(service.uuid, { isDisabled: true }, at);
    expect(await status()).toBe('MAINTENANCE');
    await compute.computeServices.delete(service.uuid);
  });

  it.each([
    ['building', 'spawning', 'BUILD', 0],
    ['active', 'rebooting', 'REBOOT', undefined],
    ['active', 'rebooting_hard', 'HARD_REBOOT', undefined],
    ['active', 'powering-off', 'ACTIVE', 100],
    ['stopped', 'rebuilding', 'REBUILD', 0],
    ['stopped', null, 'SHUTOFF', undefined],
    ['rescued', null, 'RESCUE', undefined],
    ['error', null, 'ERROR', undefined],
    ['error', 'rebuilding', 'REBUILD', 0],
    ['error', 'deleting', 'DELETED', undefined],
  ] as const)('%s while %s is %s', async (vmState, taskState, status, progress) => {
    const id = await test.running({}, { as: ANN });
    await test.store.compute.servers.update(id, { vmState, taskState }, new Date());
    const shown = await show(id);
    expect([shown.status, shown.progress]).toEqual([status, progress]);
    if (vmState === 'building') expect(shown.addresses).toEqual({});
  });

  it('shows the progress of a build, from the steps of its deployment', async () => {
    const id = await test.running({}, { as: ANN });
    const { operations, compute } = test.store;
    const node = (await compute.servers.update(id, { vmState: 'building' }, new Date())).nodeUuid ?? '';
    const step = {
      interface: 'deploy',
      args: {},
      priority: 1,
      where: 'conductor',
      abortable: false,
    } as const;
    const steps = ['deploy', 'write_image', 'install_bootloader', 'tear_down'].map((name) => ({
      ...step,
      step: name,
    }));
    const { id: row } = await operations.create(
      { nodeUuid: node, kind: 'deploy', args: {}, steps },
      new Date(),
    );
    expect((await show(id)).progress).toBe(0);
    await operations.update(row, { cursor: 1 });
    expect((await show(id)).progress).toBe(25);
    const progress = { phase: 'write', bytesDone: 50, bytesTotal: 100, bytesPerSecond: null };
    await operations.updateStep(row, 1, { progress });
    expect((await show(id)).progress).toBe(37);
    await operations.updateStep(row, 1, { progress: { ...progress, bytesTotal: null } });
    expect((await show(id)).progress).toBe(25);
    await operations.update(row, { cursor: 4 });
    expect((await show(id)).progress).toBe(100);
  });

  it('shows the fault, with details for administrators', async () => {
    const id = await test.running({}, { as: ANN });
    const fault = {
      code: 500,
      message: 'No valid host was found.',
      details: 'RamFilter',
      created: '2026-01-01T00:00:00Z',
    };
    await test.store.compute.servers.update(id, { fault }, new Date());
    expect((await show(id)).fault).toBeUndefined();
    await test.store.compute.servers.update(id, { vmState: 'error' }, new Date());
    const { details, ...open } = fault;
    expect((await show(id)).fault).toEqual(open);
    expect((await show(id, 1, admin)).fault).toEqual({ ...open, details });
  });

  it('finds servers only by id, and only those that the caller may see', async () => {
    const id = await test.running({ name: 'mine' }, { as: ANN });
    const ask = (ident: string, as = ANN) => test.call('GET', `${SERVERS}/${ident}`, undefined, { as });
    expect((await ask('mine')).body).toEqual({
      itemNotFound: { code: 404, message: 'Instance mine could not be found.' },
    });
    expect((await ask(id, member('red'))).status).toBe(404);
    expect((await ask(id, reader('blue'))).status).toBe(200);
    expect((await ask(id, admin)).status).toBe(200);
  });
});

describe('PUT and DELETE /servers/{id}', () => {
  it('renames, and answers with fewer fields than GET', async () => {
    const id = await test.running({}, { as: ANN });
    const put = (server: object, minor = 1, as = ANN) =>
      test.call('PUT', `${SERVERS}/${id}`, { server }, { minor, as });
    const { status, body } = await put({ name: 'db', description: 'new', accessIPv4: '192.0.2.7' }, 73);
    expect(status).toBe(200);
    expect(body.server).toMatchObject({
      name: 'db',
      accessIPv4: '192.0.2.7',
      accessIPv6: '',
      description: 'new',
      addresses: { rack: [{ version: 4 }] },
    });
    const missing = FIRST.filter((key) => /^OS-(EXT|SRV)|os-ext|config_drive|key_name/.test(key));
    expect(Object.keys(body.server).sort()).toEqual(
      keysAt(73)
        .filter((key) => !missing.includes(key))
        .sort(),
    );
    expect(Object.keys(body.server.addresses.rack[0])).toEqual(['version', 'addr']);
    expect((await put({ description: null }, 19)).body.server.description).toBeNull();
    expect((await put({ description: 'x' }, 18)).status).toBe(400);
    expect((await put({ name: '' })).status).toBe(400);
    expect((await put({ status: 'ACTIVE' })).status).toBe(400);
    expect((await put({}, 1, reader('blue'))).status).toBe(403);
    expect((await put({}, 1, member('red'))).status).toBe(404);
  });

  it('deletes; a deleted server is not found', async () => {
    const id = await test.running({}, { as: ANN });
    const del = (as = ANN) => test.call('DELETE', `${SERVERS}/${id}`, undefined, { as });
    expect((await del(member('red'))).status).toBe(404);
    expect((await del(reader('blue'))).status).toBe(403);
    expect((await del()).status).toBe(204);
    expect((await test.call('GET', `${SERVERS}/${id}`, undefined, { as: ANN })).status).toBe(404);
    expect((await del()).status).toBe(404);
  });
});
