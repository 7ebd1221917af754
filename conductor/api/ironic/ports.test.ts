import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
let node: string;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
  node = (await call('POST', '/v1/nodes', { driver: 'fake-hardware', name: 'holder' })).body.uuid;
});
afterAll(() => test.close());

const newPort = (address: string, more: object = {}) =>
  call('POST', '/v1/ports', { address, node_uuid: node, ...more });

describe('ports', () => {
  it('are created with their MAC in lower case', async () => {
    const answer = await newPort('52:54:00:AB:CD:01', { physical_network: 'blue', extra: { x: 1 } });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        address: '52:54:00:ab:cd:01',
        node_uuid: node,
        pxe_enabled: true,
        physical_network: 'blue',
        portgroup_uuid: null,
      },
    });
    expect(answer.headers['location']).toBe(`http://127.0.0.1/v1/ports/${answer.body.uuid}`);
  });

  it.each<[string, unknown, number, string]>([
    ['no address', { node_uuid: 'x' }, 400, "'address' is a required property"],
    ['no node', { address: '52:54:00:00:00:99' }, 400, "'node_uuid'"],
    ['something that is no MAC', { address: 'zz', node_uuid: null }, 400, 'node_uuid'],
    ['an unknown field', { colour: 1 }, 400, 'colour'],
  ])('refuse %s', async (_, body, status, text) => {
    expect(await call('POST', '/v1/ports', body)).toMatchObject({
      status,
      error: expect.stringContaining(text),
    });
  });

  it('refuse bad and taken addresses, missing nodes, port groups, empty networks', async () => {
    expect((await newPort('52:54:00:ab:cd')).error).toContain(
      'Expected a MAC address but received 52:54:00:ab:cd.',
    );
    await newPort('52:54:00:ab:cd:02');
    expect((await newPort('52:54:00:AB:CD:02')).status).toBe(409);
    expect((await newPort('52-54-00-AB-CD-12')).status).toBe(400);
    const other = { address: '52:54:00:ab:cd:03', node_uuid: '6a8b3c1e-0000-4000-8000-00000000ffff' };
    expect((await call('POST', '/v1/ports', other)).status).toBe(400);
    expect((await newPort('52:54:00:ab:cd:03', { portgroup_uuid: 'g' })).error).toContain('portgroup_uuid');
    expect((await newPort('52:54:00:ab:cd:03', { physical_network: '' })).status).toBe(400);
    expect(
      (await call('POST', '/v1/ports', { ...other, node_uuid: node, is_smartnic: true }, { minor: 52 }))
        .status,
    ).toBe(406);
  });

  it('are listed, filtered and shown', async () => {
    const { uuid } = (await newPort('52:54:00:ab:cd:04')).body;
    const { ports } = (await call('GET', '/v1/ports')).body;
    expect(ports.length).toBeGreaterThan(1);
    expect(Object.keys(ports[0]).toSorted()).toEqual(['address', 'links', 'uuid']);
    const byMac = await call('GET', '/v1/ports?address=52:54:00:AB:CD:04&fields=uuid');
    expect(byMac.body.ports.map((port: { uuid: string }) => port.uuid)).toEqual([uuid]);
    expect((await call('GET', '/v1/nodes/holder/ports?limit=2')).body).toMatchObject({
      ports: [{}, {}],
      next: expect.stringContaining('/v1/nodes/holder/ports?limit=2&marker='),
    });
    expect((await call('GET', '/v1/ports/detail?node=holder')).body.ports[0]).toHaveProperty(
      'node_uuid',
      node,
    );
    expect((await call('GET', '/v1/ports?detail=true')).body.ports[0]).toHaveProperty('internal_info');
    expect((await call('GET', `/v1/ports/${uuid}`, undefined, { minor: 18 })).body).not.toHaveProperty(
      'pxe_enabled',
    );
    expect((await call('GET', '/v1/ports/6a8b3c1e-0000-4000-8000-00000000ffff')).status).toBe(404);
    expect((await call('GET', '/v1/ports/name', undefined, { minor: 87 })).status).toBe(400);
    expect((await call('GET', '/v1/ports?node=nobody')).status).toBe(404);
    expect((await call('GET', '/v1/ports?sort_key=extra')).status).toBe(400);
  });

  it('have unique names from 1.88 on', async () => {
    const { uuid } = (await newPort('52:54:00:ab:cd:07', { name: 'uplink' })).body;
    expect((await call('GET', '/v1/ports/uplink')).body).toMatchObject({ uuid, name: 'uplink' });
    expect((await call('GET', `/v1/ports/${uuid}`, undefined, { minor: 87 })).body).not.toHaveProperty(
      'name',
    );
    expect((await newPort('52:54:00:ab:cd:08', { name: 'uplink' })).error).toBe(
      'A port with name uplink already exists.',
    );
    const { uuid: other } = (await newPort('52:54:00:ab:cd:08', { name: '' })).body;
    const rename = (value: unknown) =>
      call('PATCH', `/v1/ports/${other}`, [{ op: 'replace', path: '/name', value }]);
    expect((await rename('uplink')).status).toBe(409);
    for (const bad of ['a/b', 'x'.repeat(256), uuid]) expect((await rename(bad)).status).toBe(400);
    expect((await rename('downlink')).body.name).toBe('downlink');
    expect((await call('DELETE', '/v1/ports/downlink')).status).toBe(204);
  });

  it('are created on a node named by 1.94 on, and on one node only', async () => {
    const port = { address: '52:54:00:ab:cd:09', node_ident: 'holder' };
    expect((await call('POST', '/v1/ports', port, { minor: 93 })).error).toContain('1.94');
    expect((await call('POST', '/v1/ports', { ...port, node_uuid: node })).error).toContain('node_ident');
    const { body } = await call('POST', '/v1/ports', port);
    expect(body).toMatchObject({ node_uuid: node });
    expect(body).not.toHaveProperty('node_ident');
  });

  it('are connected to an OVN VTEP from 1.90 on, which older clients do not see', async () => {
    const link = { port_id: 'p', 'vtep-logical-switch': 'l', 'vtep-physical-switch': 's' };
    const address = '52:54:00:ab:cd:0a';
    const older = { address, node_uuid: node, local_link_connection: link };
    expect((await call('POST', '/v1/ports', older, { minor: 89 })).error).toContain('1.90');
    const { uuid } = (await call('POST', '/v1/ports', older, { minor: 90 })).body;
    const shown = async (minor: number) =>
      (await call('GET', `/v1/ports/${uuid}`, undefined, { minor })).body.local_link_connection;
    expect(await shown(104)).toEqual(link);
    expect(await shown(89)).toEqual({});
    expect(await shown(105)).toEqual({});
    expect((await call('POST', '/v1/ports', older, { minor: 105 })).error).toContain('ended with API 1.104');
  });

  it('have labels, and are found by what their description says', async () => {
    const labels = { description: '100 % of eth0', vendor: 'acme', category: 'storage' };
    const { body } = await newPort('52:54:00:ab:cd:0b', {
      ...labels,
      available_for_dynamic_portgroup: false,
    });
    expect(body).toMatchObject({ ...labels, available_for_dynamic_portgroup: false });
    for (const [field, since] of [
      ['description', 97],
      ['vendor', 100],
      ['category', 101],
      ['available_for_dynamic_portgroup', 111],
    ] as const) {
      const at = async (minor: number) =>
        (await call('GET', `/v1/ports/${body.uuid}`, undefined, { minor })).body;
      expect([field in (await at(since - 1)), field in (await at(since))]).toEqual([false, true]);
    }
    const found = async (query: string, minor?: number) => {
      const answer = await call('GET', `/v1/ports?${query}`, undefined, minor === undefined ? {} : { minor });
      return answer.body.ports?.map(({ uuid }: { uuid: string }) => uuid) ?? answer.status;
    };
    expect(await found('description_contains=%25%20of')).toEqual([body.uuid]);
    expect(await found('description_contains=_%25')).toEqual([]);
    expect(await found('description_contains=of', 96)).toBe(406);
    expect((await newPort('52:54:00:ab:cd:0c', { vendor: 'x'.repeat(33) })).status).toBe(400);
  });

  it('are filtered by the conductor group of their node', async () => {
    const grouped = (await call('POST', '/v1/nodes', { driver: 'fake-hardware' })).body.uuid;
    await test.store.nodes.update(grouped, { conductorGroup: 'east' }, new Date());
    const port = { address: '52:54:00:ab:cd:0d', node_uuid: grouped };
    const group = (await call('POST', '/v1/portgroups', { node_uuid: grouped })).body;
    const { uuid } = (await call('POST', '/v1/ports', port)).body;
    for (const [path, expected] of [
      ['ports', uuid],
      ['portgroups', group.uuid],
    ]) {
      const list = (query: string, minor = 112) =>
        call('GET', `/v1/${path}?conductor_groups=${query}`, undefined, { minor });
      expect((await list('West,EAST')).body[path as string]).toMatchObject([{ uuid: expected }]);
      expect((await list('west')).body[path as string]).toEqual([]);
      expect((await list(`east&node=${grouped}`)).status).toBe(400);
      expect((await list('east', 98)).status).toBe(406);
    }
  });

  it('are patched and deleted', async () => {
    const { uuid } = (await newPort('52:54:00:ab:cd:05')).body;
    const patch = (operations: unknown) => call('PATCH', `/v1/ports/${uuid}`, operations);
    expect((await patch([{ op: 'replace', path: '/pxe_enabled', value: 'no' }])).body.pxe_enabled).toBe(
      false,
    );
    expect((await patch([{ op: 'remove', path: '/pxe_enabled' }])).body.pxe_enabled).toBe(true);
    expect(
      (await patch([{ op: 'replace', path: '/address', value: '52:54:00:AB:CD:06' }])).body.address,
    ).toBe('52:54:00:ab:cd:06');
    expect((await patch([{ op: 'replace', path: '/address', value: 'zz' }])).status).toBe(400);
    expect((await patch([{ op: 'replace', path: '/uuid', value: 'zz' }])).error).toContain(
      'Cannot patch /uuid',
    );
    expect((await patch([{ op: 'remove', path: '/node_uuid' }])).status).toBe(400);
    expect((await call('DELETE', `/v1/ports/${uuid}`)).status).toBe(204);
    expect((await call('DELETE', `/v1/ports/${uuid}`)).status).toBe(404);
  });
});

describe('drivers', () => {
  it('are listed with this conductor as host', async () => {
    const { body } = await call('GET', '/v1/drivers');
    expect(body.drivers.find(({ name }: { name: string }) => name === 'ipmi')).toMatchObject({
      hosts: ['test-conductor'],
      type: 'dynamic',
    });
    expect((await call('GET', '/v1/drivers?type=classic')).body.drivers).toEqual([]);
    expect((await call('GET', '/v1/drivers?detail=true')).body.drivers[0]).toHaveProperty(
      'default_power_interface',
    );
    expect((await call('GET', '/v1/drivers?detail=true', undefined, { minor: 29 })).status).toBe(406);
    expect((await call('GET', '/v1/drivers?type=odd')).status).toBe(400);
  });

  it('show their interfaces and properties', async () => {
    const { body } = await call('GET', '/v1/drivers/ipmi');
    expect(body).toMatchObject({
      default_power_interface: 'ipmitool',
      enabled_boot_interfaces: ['ipxe', 'pxe'],
    });
    expect(body).toMatchObject({ default_firmware_interface: 'no-firmware' });
    expect((await call('GET', '/v1/drivers/ipmi', undefined, { minor: 85 })).body).not.toHaveProperty(
      'default_firmware_interface',
    );
    expect(Object.keys((await call('GET', '/v1/drivers/ipmi?fields=name')).body).toSorted()).toEqual([
      'links',
      'name',
    ]);
    expect((await call('GET', '/v1/drivers/ipmi?fields=bogus')).status).toBe(400);
    expect((await call('GET', '/v1/drivers/ipmi/properties')).body).toHaveProperty('ipmi_address');
    expect((await call('GET', '/v1/drivers/magic')).error).toContain(
      'This conductor has: ipmi, fake-hardware',
    );
    expect((await call('GET', '/v1/drivers/magic/properties')).status).toBe(404);
  });
});

describe('conductors', () => {
  it('are one, from 1.49 on', async () => {
    expect((await call('GET', '/v1/conductors')).body).toMatchObject({
      conductors: [{ hostname: 'test-conductor', conductor_group: '', alive: true }],
    });
    expect((await call('GET', '/v1/conductors/test-conductor')).body.drivers).toContain('ipmi');
    expect((await call('GET', '/v1/conductors/other')).status).toBe(404);
    expect((await call('GET', '/v1/conductors', undefined, { minor: 48 })).status).toBe(404);
  });
});

it('ports of one port group have one physical network', async () => {
  const group = (await call('POST', '/v1/portgroups', { node_uuid: node })).body.uuid;
  const inGroup = { portgroup_uuid: group, physical_network: 'red' };
  const first = (await newPort('52:54:00:ab:0f:01', inGroup)).body.uuid;
  const second = (await newPort('52:54:00:ab:0f:02', inGroup)).body.uuid;
  expect(await newPort('52:54:00:ab:0f:03', { ...inGroup, physical_network: 'blue' })).toMatchObject({
    status: 409,
    error: expect.stringMatching(/^Port with physical network blue cannot become a member of port group/),
  });
  const change = async (port: string, path: string, value: unknown) =>
    (await call('PATCH', `/v1/ports/${port}`, [{ op: 'add', path, value }])).status;
  expect(await change(second, '/physical_network', 'blue')).toBe(409);
  expect(await change(second, '/extra/x', 1)).toBe(200);
  const outside = (await newPort('52:54:00:ab:0f:04', { physical_network: 'blue' })).body.uuid;
  expect(await change(outside, '/portgroup_uuid', group)).toBe(409);
  expect((await call('DELETE', `/v1/ports/${second}`)).status).toBe(204);
  expect(await change(first, '/physical_network', 'blue')).toBe(200);
});
