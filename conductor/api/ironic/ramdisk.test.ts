import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';
import type { Mac } from '../../domain/boot.ts';

let test: TestApi;
let call: Call;
let operator: Call;
let uuid: string;
let serial = 0;
let mac: Mac;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.ramdiskApi);
  operator = createCall(test.api);
});
afterAll(() => test.close());

/** A node whose ramdisk has just started. */
beforeEach(async () => {
  serial += 1;
  mac = `52:54:00:00:00:${String(serial).padStart(2, '0')}` as Mac;
  const fields = {
    driver: 'fake-hardware',
    driver_info: { ipmi_password: 'pw' },
    instance_info: {
      image_source: 'http://images.example/a',
      configdrive: 'secret-drive',
      root_device: { serial: 'S1' },
    },
    properties: { root_device: { serial: 'S2' }, cpus: 8 },
  };
  uuid = (await operator('POST', '/v1/nodes', fields)).body.uuid;
  await operator('POST', '/v1/ports', { address: mac, node_uuid: uuid });
  await test.store.nodes.update(
    uuid,
    { provisionState: 'wait call-back', targetProvisionState: 'active' },
    new Date(),
  );
});

const lookup = (query: string, minor = 68) => call('GET', `/v1/lookup?${query}`, undefined, { minor });
const heartbeat = (body: object, minor = 68) => call('POST', `/v1/heartbeat/${uuid}`, body, { minor });
const URL = 'http://192.0.2.7:9999';

describe('lookup', () => {
  it('returns the token once, and only the fields of the node that the agent needs', async () => {
    const first = await lookup(`addresses=${mac.toUpperCase()},junk`);
    expect(first).toMatchObject({
      status: 200,
      body: {
        config: {
          heartbeat_timeout: 300,
          agent_token: expect.stringMatching(/^[\w-]{43}$/),
          agent_token_required: true,
        },
      },
    });
    expect(first.body.node).toEqual({
      uuid,
      properties: { root_device: { serial: 'S1' } },
      instance_info: {},
      driver_internal_info: {},
    });
    expect((await lookup(`node_uuid=${uuid}`)).body.config.agent_token).toBe('******');
    const shown = await operator('GET', `/v1/nodes/${uuid}`);
    expect(shown.body.driver_internal_info).toEqual({
      agent_secret_token: '******',
      agent_session: 'plaintext',
    });
    expect(JSON.stringify(shown.body)).not.toContain(first.body.config.agent_token);
  });

  it('gives the same error for unknown machines and for nodes that expect no agent', async () => {
    await test.store.nodes.update(uuid, { provisionState: 'active' }, new Date());
    const resting = await lookup(`addresses=${mac}`);
    const unknown = await lookup('addresses=52:54:00:ff:ff:ff');
    expect(resting.status).toBe(404);
    expect(resting.body).toEqual(unknown.body);
  });

  it.each<[string, number, number]>([
    ['', 68, 400],
    ['addresses=junk', 68, 400],
    ['node_uuid=x', 68, 400],
    ['colour=red', 68, 400],
    [`addresses=${Array.from({ length: 65 }, () => '52:54:00:00:00:01').join(',')}`, 68, 400],
    ['addresses=52:54:00:00:00:01', 61, 406],
    ['addresses=52:54:00:00:00:01', 21, 404],
  ])('%s at 1.%i is %i', async (query, minor, status) => {
    expect((await lookup(query, minor)).status).toBe(status);
  });
});

describe('heartbeat', () => {
  it('is accepted with the token, without a body', async () => {
    const { agent_token } = (await lookup(`addresses=${mac}`)).body.config;
    expect(
      await heartbeat({ callback_url: URL, agent_token, agent_version: '9.1', agent_verify_ca: 'PEM' }),
    ).toMatchObject({
      status: 202,
      body: undefined,
    });
    const { body } = await operator('GET', `/v1/nodes/${uuid}`);
    expect(body.driver_internal_info).toMatchObject({
      agent_url: URL,
      agent_version: '9.1',
      agent_secret_token: '******',
    });
    expect((await heartbeat({ callback_url: 'http://192.0.2.8:9999', agent_token })).status).toBe(400);
  });

  it.each<[string, object, number, string]>([
    ['no token', { callback_url: URL }, 68, 'Agent token is required'],
    ['a wrong token', { callback_url: URL, agent_token: 'x' }, 68, 'refused'],
    ['no URL', { agent_token: 'x' }, 68, 'Missing mandatory parameter: callback_url'],
    [
      'an unknown key',
      { callback_url: URL, agent_token: 'x', colour: 1 },
      68,
      'Unexpected arguments: colour',
    ],
    [
      'a version before 1.36',
      { callback_url: URL, agent_token: 'x', agent_version: '1' },
      35,
      'agent_version',
    ],
    [
      'a CA before 1.68',
      { callback_url: URL, agent_token: 'x', agent_verify_ca: 'x' },
      67,
      'agent_verify_ca',
    ],
    [
      'a status before 1.72',
      { callback_url: URL, agent_token: 'x', agent_status: 'end' },
      71,
      'agent_status',
    ],
    ['an odd status', { callback_url: URL, agent_token: 'x', agent_status: 'odd' }, 72, 'start,end,error'],
  ])('refuses %s with 400', async (_, body, minor, text) => {
    expect(await heartbeat(body, minor)).toMatchObject({ status: 400, error: expect.stringContaining(text) });
  });

  it('is 404 before 1.22 and for unknown nodes', async () => {
    expect((await heartbeat({ callback_url: URL, agent_token: 'x' }, 21)).status).toBe(404);
    const unknown = '/v1/heartbeat/6a8b3c1e-0000-4000-8000-00000000ffff';
    expect((await call('POST', unknown, { callback_url: URL, agent_token: 'x' })).status).toBe(404);
  });
});

describe('continue_inspection', () => {
  const inventory = () => ({ interfaces: [{ name: 'eth0', mac_address: mac }] });

  it('accepts the inventory of a node that waits for it', async () => {
    await test.store.nodes.update(uuid, { provisionState: 'inspect wait' }, new Date());
    const answer = await call(
      'POST',
      '/v1/continue_inspection',
      { inventory: inventory(), boot_interface: 'x' },
      { minor: null },
    );
    expect(answer).toMatchObject({ status: 202, body: { uuid } });
    expect((await operator('GET', `/v1/nodes/${uuid}/inventory`)).body).toEqual({
      inventory: inventory(),
      plugin_data: { boot_interface: 'x' },
    });
  });

  it('is answered like a lookup from 1.84 on, also by uuid, but not for the machine of another node', async () => {
    await test.store.nodes.update(uuid, { provisionState: 'inspect wait', agent: null }, new Date());
    const send = (macs: readonly string[], query: string, minor = 84) =>
      call(
        'POST',
        `/v1/continue_inspection${query}`,
        { inventory: { interfaces: macs.map((mac_address) => ({ mac_address })) } },
        { minor },
      );
    expect((await send([], `?node_uuid=${uuid}`, 83)).status).toBe(406);
    const { body, status } = await send([mac], '');
    expect(status).toBe(202);
    expect(body).toMatchObject({ node: { uuid }, config: { agent_token: expect.stringMatching(/^.{43}$/) } });
    expect((await send([], `?node_uuid=${uuid}`)).status).toBe(404);
    const beat = { callback_url: 'http://192.0.2.7:9999', agent_token: body.config.agent_token };
    expect((await call('POST', `/v1/heartbeat/${uuid}`, beat)).status).toBe(202);
    const { body: other } = await operator('POST', '/v1/nodes', { driver: 'fake-hardware' });
    await test.store.nodes.update(other.uuid, { provisionState: 'inspect wait' }, new Date());
    const foreign = await send([mac], `?node_uuid=${other.uuid}`);
    expect(foreign.status).toBe(404);
    expect(foreign.error).not.toContain(uuid);
    await test.store.nodes.update(uuid, { agent: null }, new Date());
  });

  it('is the only route that accepts JSON without a type, as ironic-python-agent sends it', async () => {
    await test.store.nodes.update(uuid, { provisionState: 'inspect wait' }, new Date());
    const untyped = (url: string) =>
      test.ramdiskApi.inject({
        method: 'POST',
        url,
        body: Buffer.from(JSON.stringify({ inventory: inventory() })),
      });
    expect((await untyped('/v1/continue_inspection')).statusCode).toBe(202);
    const headers = { 'x-openstack-ironic-api-version': '1.68' };
    const body = Buffer.from('{}');
    const typed = await test.ramdiskApi.inject({
      method: 'POST',
      url: `/v1/heartbeat/${uuid}`,
      headers,
      body,
    });
    expect(typed.statusCode).toBe(415);
  });

  it('reveals nothing about nodes that do not', async () => {
    const waiting = await call('POST', '/v1/continue_inspection', { inventory: inventory() });
    const unknown = await call('POST', '/v1/continue_inspection', { inventory: {} });
    expect(waiting.status).toBe(404);
    expect(waiting.body).toEqual(unknown.body);
    for (const body of [[], {}, { inventory: 1 }, 'null']) {
      expect((await call('POST', '/v1/continue_inspection', body)).status).toBe(400);
    }
  });
});

describe("the provisioning network's listener", () => {
  it('has only the routes of the ramdisk', async () => {
    expect((await call('GET', '/')).status).toBe(200);
    expect(Object.keys((await call('GET', '/v1')).body).toSorted()).toEqual([
      'continue_inspection',
      'heartbeat',
      'id',
      'links',
      'lookup',
      'media_types',
      'version',
    ]);
    for (const path of [
      '/v1/nodes',
      '/nodes',
      `/v1/nodes/${uuid}`,
      '/v1/ports',
      '/v1/drivers',
      `/ingot/v1/nodes/${uuid}/timeline`,
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        expect([method, path, (await call(method, path, {})).status]).toEqual([method, path, 404]);
      }
    }
  });

  it('is the only one with these routes where it exists', async () => {
    const apart = await createTestApi({}, undefined, undefined, undefined, { ramdiskApart: true });
    const ask = createCall(apart.api);
    for (const [method, path] of [
      ['GET', '/v1/lookup?addresses=52:54:00:ff:ff:ff'],
      ['POST', '/v1/lookup'],
      ['GET', '/lookup'],
      ['POST', '/v1/heartbeat/n'],
      ['POST', '/v1/continue_inspection'],
    ] as const) {
      expect([path, (await ask(method, path, method === 'POST' ? {} : undefined)).status]).toEqual([
        path,
        404,
      ]);
    }
    const { body } = await ask('GET', '/v1');
    for (const name of ['lookup', 'heartbeat', 'continue_inspection']) expect(body).not.toHaveProperty(name);
    expect((await createCall(apart.ramdiskApi)('GET', '/v1')).body).toHaveProperty('lookup');
    await apart.close();
  });

  it('rejects calls of an address that calls too often', async () => {
    const slow = await createTestApi({ ramdiskCallsPerMinute: 10 });
    const knock = createCall(slow.ramdiskApi);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      statuses.push((await knock('GET', '/v1/lookup?addresses=52:54:00:ff:ff:ff')).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429]);
    await slow.close();
  });

  it('also on the listener of the operators, without affecting operators', async () => {
    const slow = await createTestApi({ ramdiskCallsPerMinute: 10 });
    const knock = createCall(slow.api);
    const statuses: number[] = [];
    for (const _ of Array(12)) statuses.push((await knock('POST', '/v1/heartbeat/n', {})).status);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(statuses.slice(0, 10)).not.toContain(429);
    const refused = await knock('GET', '/v1/lookup?addresses=52:54:00:ff:ff:ff');
    expect(refused).toMatchObject({
      status: 429,
      error: 'Too many calls from this address. Try again in 60 seconds.',
    });
    expect((await knock('GET', '/v1/nodes')).status).toBe(200);
    await slow.close();
  });

  it('bounds bodies', async () => {
    expect((await heartbeat({ callback_url: URL, agent_token: 'x'.repeat(70_000) })).status).toBe(413);
    const big = JSON.stringify({ inventory: { x: 'x'.repeat(17 * 1024 * 1024) } });
    expect((await call('POST', '/v1/continue_inspection', big)).status).toBe(413);
  });
});
