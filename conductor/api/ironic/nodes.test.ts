import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { MAX_MINOR, versionText } from '@ingot/shared/ironic/versions.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
});
afterAll(() => test.close());

let serial = 0;
async function newNode(fields: object = {}): Promise<string> {
  serial += 1;
  const { body, error } = await call('POST', '/v1/nodes', {
    driver: 'fake-hardware',
    name: `node-${serial}`,
    ...fields,
  });
  expect(error).toBe('');
  return body.uuid;
}

describe('POST /v1/nodes', () => {
  it('creates an enrolled node with the driver defaults filled in', async () => {
    const answer = await call('POST', '/v1/nodes', {
      driver: 'fake-hardware',
      driver_info: { ipmi_password: 'hunter2', deep: [{ api_key: 'k' }] },
      maintenance: 'yes',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(`http://127.0.0.1/v1/nodes/${answer.body.uuid}`);
    expect(answer.body).toMatchObject({
      provision_state: 'enroll',
      power_interface: 'fake',
      conductor_group: '',
      maintenance: true,
      updated_at: null,
      driver_info: { ipmi_password: '******', deep: [{ api_key: '******' }] },
      instance_info: {},
      links: [{ rel: 'self' }, { rel: 'bookmark', href: `http://127.0.0.1/nodes/${answer.body.uuid}` }],
    });
    expect(answer.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
    const stored = await test.store.nodes.find(answer.body.uuid);
    expect(stored?.driverInfo).toMatchObject({ ipmi_password: 'hunter2' });
  });

  it.each<[string, unknown, number, string]>([
    ['no driver', {}, 400, "'driver' is a required property"],
    ['an unknown driver', { driver: 'magic' }, 400, 'fake-hardware'],
    ['an unknown interface', { driver: 'fake-hardware', deploy_interface: 'magic' }, 400, 'deploy_interface'],
    ['an unknown field', { driver: 'fake-hardware', colour: 1 }, 400, "'colour'"],
    ['a read-only field', { driver: 'fake-hardware', provision_state: 'active' }, 400, "'provision_state'"],
    ['traits', { driver: 'fake-hardware', traits: ['CUSTOM_A'] }, 400, "'traits'"],
    [
      'a name that is a UUID',
      { driver: 'fake-hardware', name: '6a8b3c1e-0000-4000-8000-000000000000' },
      400,
      'UUID',
    ],
    ['a reserved name', { driver: 'fake-hardware', name: 'detail' }, 400, 'reserved'],
    ['a wrong type', { driver: 'fake-hardware', properties: 'x' }, 400, 'properties must be an object'],
    [
      'a mask for a secret',
      { driver: 'fake-hardware', driver_info: { ipmi_password: '******' } },
      400,
      'mask',
    ],
    ['a chassis', { driver: 'fake-hardware', chassis_uuid: 'x' }, 400, 'chassis_uuid must be a UUID'],
    ['a list', [], 400, 'JSON object'],
  ])('refuses %s', async (_, body, status, text) => {
    const answer = await call('POST', '/v1/nodes', body);
    expect(answer).toMatchObject({ status, error: expect.stringContaining(text) });
    expect(JSON.parse(answer.body.error_message)).toMatchObject({ faultcode: 'Client', debuginfo: null });
  });

  it('rejects a name or uuid in use', async () => {
    const uuid = await newNode({ name: 'taken' });
    for (const body of [{ name: 'taken' }, { uuid }]) {
      expect((await call('POST', '/v1/nodes', { driver: 'fake-hardware', ...body })).status).toBe(409);
    }
  });

  it('behaves as old versions did', async () => {
    const old = await call('POST', '/v1/nodes', { driver: 'fake-hardware' }, { minor: null });
    expect(old.body.provision_state).toBeNull();
    expect(old.body).not.toHaveProperty('name');
    const v10 = await call('POST', '/v1/nodes', { driver: 'fake-hardware' }, { minor: 10 });
    expect(v10.body.provision_state).toBe('available');
    const newer = await call('POST', '/v1/nodes', { driver: 'fake-hardware', shard: 's' }, { minor: 81 });
    expect(newer).toMatchObject({ status: 406, error: expect.stringContaining('1.82') });
  });
});

describe('GET /v1/nodes/{node}', () => {
  it('finds by uuid and by name, from 1.5 on', async () => {
    const uuid = await newNode({ name: 'by-name' });
    expect((await call('GET', '/v1/nodes/by-name')).body.uuid).toBe(uuid);
    expect((await call('GET', '/nodes/by-name/')).body.uuid).toBe(uuid);
    expect((await call('GET', '/v1/nodes/by-name.json', undefined, { minor: 90 })).body.uuid).toBe(uuid);
    expect((await call('GET', '/v1/nodes/by-name.json')).status).toBe(404);
    expect((await call('GET', `/v1/nodes/${uuid.toUpperCase()}`)).body.uuid).toBe(uuid);
    expect((await call('GET', '/v1/nodes/by-name', undefined, { minor: 4 })).status).toBe(404);
    expect((await call('GET', '/v1/nodes/nobody')).error).toBe('Node nobody could not be found.');
    expect((await call('GET', '/v1/nodes/no%20body')).status).toBe(400);
  });

  it('shows the requested fields, and links', async () => {
    const uuid = await newNode();
    const { body } = await call('GET', `/v1/nodes/${uuid}?fields=uuid,driver_info`);
    expect(Object.keys(body).toSorted()).toEqual(['driver_info', 'links', 'uuid']);
    expect((await call('GET', `/v1/nodes/${uuid}?fields=bogus`)).error).toContain('"bogus"');
    expect((await call('GET', `/v1/nodes/${uuid}?fields=shard`, undefined, { minor: 81 })).status).toBe(406);
    expect((await call('GET', `/v1/nodes/${uuid}?fields=uuid`, undefined, { minor: 7 })).status).toBe(406);
  });

  it.each<[number, string, boolean]>([
    [2, 'driver_internal_info', false],
    [3, 'driver_internal_info', true],
    [30, 'deploy_interface', false],
    [31, 'deploy_interface', true],
    [51, 'allocation_uuid', false],
    [52, 'allocation_uuid', true],
    [13, 'states', false],
    [14, 'states', true],
    [82, 'shard', true],
  ])('at 1.%i the field %s is there: %s', async (minor, field, there) => {
    const uuid = await newNode();
    expect(field in (await call('GET', `/v1/nodes/${uuid}`, undefined, { minor })).body).toBe(there);
  });
});

describe('GET /v1/nodes', () => {
  it('pages with next exactly when a page is full', async () => {
    const all = (await call('GET', '/v1/nodes')).body.nodes.length;
    const seen: string[] = [];
    let path: string | undefined = `/v1/nodes?limit=3&sort_key=created_at&sort_dir=desc`;
    while (path !== undefined) {
      const { body } = await call('GET', path);
      seen.push(...body.nodes.map(({ uuid }: { uuid: string }) => uuid));
      expect('next' in body).toBe(body.nodes.length === 3);
      path = body.next?.replace('http://127.0.0.1', '');
      if (path !== undefined) expect(path).toContain('sort_dir=desc');
    }
    expect(new Set(seen).size).toBe(all);
  });

  it('filters', async () => {
    const uuid = await newNode({
      instance_uuid: '6a8b3c1e-0000-4000-8000-000000000001',
      resource_class: 'gold',
    });
    const uuids = async (query: string) =>
      (await call('GET', `/v1/nodes?${query}`)).body.nodes.map((node: { uuid: string }) => node.uuid);
    expect(await uuids('resource_class=gold')).toEqual([uuid]);
    expect(await uuids('associated=true')).toEqual([uuid]);
    expect(await uuids('conductor=elsewhere')).toEqual([]);
    const byInstance = await call(
      'GET',
      '/v1/nodes?limit=1&instance_uuid=6a8b3c1e-0000-4000-8000-000000000001',
    );
    expect(byInstance.body).not.toHaveProperty('next');
    expect(byInstance.body.nodes).toHaveLength(1);
  });

  it('shows few fields, or all with detail', async () => {
    const short = (await call('GET', '/v1/nodes?limit=1')).body.nodes[0];
    expect(Object.keys(short).toSorted()).toEqual(
      ['instance_uuid', 'links', 'maintenance', 'name', 'power_state', 'provision_state', 'uuid'].toSorted(),
    );
    expect((await call('GET', '/v1/nodes?limit=1&detail=True')).body.nodes[0]).toHaveProperty('driver_info');
    expect((await call('GET', '/v1/nodes/detail?limit=1')).body.nodes[0]).toHaveProperty('driver_info');
  });

  it.each([...NODE_FIELDS.filter(({ sort }) => sort).map(({ wire }) => wire), 'id'])(
    'sorts by %s',
    async (key) => {
      for (const direction of ['asc', 'desc']) {
        const first = await call('GET', `/v1/nodes?sort_key=${key}&sort_dir=${direction}&limit=2`);
        expect(first).toMatchObject({ status: 200, error: '' });
        const rest = await call('GET', first.body.next.replace('http://127.0.0.1', ''));
        expect(rest.status).toBe(200);
      }
    },
  );

  it.each<[string, number, string]>([
    ['colour=red', 400, 'Unexpected arguments: colour'],
    ['limit=0', 400, 'Limit must be positive'],
    ['limit=-1', 400, 'Limit must be positive'],
    ['limit=many', 400, '"limit" must be an integer'],
    ['limit=1&limit=2', 400, 'more than once'],
    ['sort_dir=up', 400, "'asc' or 'desc'"],
    ['sort_key=driver_info', 400, 'invalid field for sorting'],
    ['sort_key=bogus', 400, 'invalid field for sorting'],
    ['fields=bogus', 400, 'Field(s) "bogus" are not valid'],
    ['fields=uuid&detail=true', 400, 'either fields or detail'],
    ['provision_state=flying', 400, '"flying" is not valid'],
    ['maintenance=perhaps', 400, 'must be a boolean'],
    ['marker=6a8b3c1e-0000-4000-8000-00000000ffff', 404, 'could not be found'],
    ['marker=x', 400, 'must be a UUID'],
    ['fault=tired', 400, 'Unrecognized fault'],
  ])('refuses %s', async (query, status, text) => {
    expect(await call('GET', `/v1/nodes?${query}`)).toMatchObject({
      status,
      error: expect.stringContaining(text),
    });
  });

  it.each<[string, number]>([
    ['provision_state=active', 8],
    ['driver=ipmi', 15],
    ['detail=true', 42],
    ['sharded=true', 81],
    ['sort_key=shard', 81],
  ])('%s is not acceptable at 1.%i', async (query, minor) => {
    expect((await call('GET', `/v1/nodes?${query}`, undefined, { minor })).status).toBe(406);
    expect((await call('GET', `/v1/nodes?${query}`, undefined, { minor: minor + 1 })).status).toBe(200);
  });
});

describe('DELETE /v1/nodes/{node}', () => {
  it('answers 204 without a body, then 404', async () => {
    const uuid = await newNode();
    const gone = await call('DELETE', `/v1/nodes/${uuid}`);
    expect(gone).toMatchObject({ status: 204, body: undefined });
    expect(gone.headers).not.toHaveProperty('content-type');
    expect((await call('DELETE', `/v1/nodes/${uuid}`)).status).toBe(404);
  });
});

describe('the rest of a node', () => {
  it('validates by both paths', async () => {
    const uuid = await newNode();
    const { body } = await call('GET', `/v1/nodes/${uuid}/validate`);
    expect(body).toMatchObject({ deploy: { result: true }, power: { result: true } });
    expect((await call('GET', `/v1/nodes/validate?node=${uuid}`)).body).toEqual(body);
    expect((await call('GET', '/v1/nodes/validate')).status).toBe(400);
  });

  it('shows history and inventory from their versions on', async () => {
    const uuid = await newNode();
    const long = 'x'.repeat(300);
    await test.store.history.add({
      uuid: '6a8b3c1e-0000-4000-8000-00000000aaaa',
      nodeUuid: uuid,
      createdAt: new Date(),
      severity: 'ERROR',
      eventType: 'deploying',
      event: long,
      conductor: 'c',
      user: null,
      project: null,
      state: null,
      targetProvisionState: null,
      durationSeconds: null,
    });
    const { body } = await call('GET', `/v1/nodes/${uuid}/history`);
    expect(body.history).toHaveLength(1);
    expect(body.history[0].event).toHaveLength(254);
    expect(body.history[0]).not.toHaveProperty('conductor');
    const one = await call('GET', `/v1/nodes/${uuid}/history/${body.history[0].uuid}`);
    expect(one.body).toMatchObject({ event: long, event_type: 'deploying', conductor: 'c' });
    expect((await call('GET', `/v1/nodes/${uuid}/history/none`)).status).toBe(404);
    expect((await call('GET', `/v1/nodes/${uuid}/history`, undefined, { minor: 77 })).status).toBe(404);
    expect((await call('GET', `/v1/nodes/${uuid}/inventory`)).status).toBe(404);
    await test.store.inventory.put(uuid, { inventory: { cpu: {} }, pluginData: { a: 1 } }, new Date());
    expect((await call('GET', `/v1/nodes/${uuid}/inventory`)).body).toEqual({
      inventory: { cpu: {} },
      plugin_data: { a: 1 },
    });
    expect((await call('GET', `/v1/nodes/${uuid}/inventory`, undefined, { minor: 80 })).status).toBe(404);
  });
});

describe('versions', () => {
  it('are negotiated first and shown in every answer', async () => {
    const tooNew = await call('GET', '/v1/nodes', undefined, { minor: MAX_MINOR + 1 });
    expect(tooNew.status).toBe(406);
    expect(JSON.parse(tooNew.body.error_message)).toMatchObject({ code: 406, title: 'Not Acceptable' });
    expect(tooNew.headers['x-openstack-ironic-api-maximum-version']).toBe(versionText(MAX_MINOR));
    expect(tooNew.headers['x-openstack-ironic-api-minimum-version']).toBe('1.1');
    const standard = await call('GET', '/v1/nodes', undefined, {
      minor: null,
      headers: { 'openstack-api-version': 'baremetal 1.50' },
    });
    expect(standard.headers).toMatchObject({
      'x-openstack-ironic-api-version': '1.50',
      'openstack-api-version': 'baremetal 1.50',
      'openstack-request-id': expect.stringMatching(/^req-[0-9a-f-]{36}$/),
    });
    for (const [minor, there] of [
      [106, false],
      [107, true],
    ] as const) {
      const { headers } = await call('GET', '/v1/nodes/nobody', undefined, { minor });
      expect(headers['x-openstack-request-id'] === headers['openstack-request-id']).toBe(there);
    }
    expect((await call('GET', '/v1/nodes', undefined, { minor: null })).headers).toMatchObject({
      'x-openstack-ironic-api-version': '1.1',
    });
  });

  it('are listed at the root, with the collections of each', async () => {
    expect((await call('GET', '/', undefined, { minor: 9999 })).body).toMatchObject({
      name: 'OpenStack Ironic API',
      default_version: { id: 'v1', status: 'CURRENT', min_version: '1.1', version: versionText(MAX_MINOR) },
    });
    expect((await call('GET', '/v1/', undefined, { minor: 48 })).body).not.toHaveProperty('conductors');
    expect((await call('GET', '/v1', undefined, { minor: 49 })).body).toHaveProperty('conductors');
  });

  it('unknown paths are 404 and wrong methods 405, in the router shape', async () => {
    const missing = await call('GET', '/v1/unicorns');
    expect(missing.status).toBe(404);
    expect(JSON.parse(missing.body.error_message)).toEqual({
      code: 404,
      title: 'Not Found',
      description: '',
    });
    const method = await call('PUT', '/v1/nodes', {});
    expect(method.status).toBe(405);
    expect(method.headers['allow']).toContain('POST');
  });

  it('links follow the public endpoint', async () => {
    const other = await createTestApi({ publicEndpoint: 'https://metal.example/api' });
    const { body } = await createCall(other.api)('GET', '/v1');
    expect(body.links[0].href).toBe('https://metal.example/api/v1/');
    await other.close();
  });
});
