import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';
import { type FakeKeystone, startFakeKeystone } from '../../../test/fakes/keystone.ts';

let keystone: FakeKeystone;
let test: TestApi;
let call: Call;
beforeAll(async () => {
  keystone = await startFakeKeystone();
  test = await createTestApi({ auth: 'keystone', keystone: keystone.settings });
  call = createCall(test.api);
});
afterAll(async () => {
  await test.close();
  await keystone[Symbol.asyncDispose]();
});

const LIMIT_MS = 5_000;
const tokens = new Map<string, string>();
/** `admin`: of the system. `acme manager`: in that project. */
function as(who: string): Record<string, string> {
  const [first = '', role] = who.split(' ');
  const spec = role === undefined ? { system: true, roles: [first] } : { project: first, roles: [role] };
  const token = tokens.get(who) ?? keystone.issue(spec);
  tokens.set(who, token);
  return { 'x-auth-token': token };
}
const send = (who: string, method: string, path: string, body?: unknown, minor?: number) =>
  call(method, path, body, { headers: as(who), ...(minor === undefined ? {} : { minor }) });

let serial = 0;
/** As before 1.112, when its name was the trait. */
async function newRunbook(who: string, fields: object = {}, minor = 111) {
  serial += 1;
  const steps = [
    {
      interface: 'bios',
      step: 'apply_configuration',
      args: { settings: [{ name: 'a', value: 'b' }] },
      order: 2,
    },
    { interface: 'bios', step: 'factory_reset', order: '1' },
  ];
  const body = { name: `CUSTOM_RUN_${serial}`, steps, ...fields };
  const answer = await send(who, 'POST', '/v1/runbooks', body, minor);
  return { ...answer, name: `CUSTOM_RUN_${serial}` };
}

describe('runbooks', () => {
  it('are created, shown by name, changed and deleted', async () => {
    const { body, status, headers, name } = await newRunbook('admin', { extra: { why: 'x' } });
    expect(status).toBe(201);
    expect(headers['location']).toBe(`http://127.0.0.1/v1/runbooks/${body.uuid}`);
    expect(body).toMatchObject({
      name,
      owner: null,
      public: false,
      disable_ramdisk: false,
      steps: [{ order: 2 }, { step: 'factory_reset', args: {}, order: 1 }],
    });
    expect((await send('reader', 'GET', `/v1/runbooks/${name}`, undefined, 111)).body).toEqual(body);
    const { runbooks } = (await send('reader', 'GET', '/v1/runbooks')).body;
    expect(Object.keys(runbooks[0]).toSorted()).toEqual(['links', 'name', 'uuid']);
    const change = [
      { op: 'remove', path: '/steps/1' },
      { op: 'replace', path: '/disable_ramdisk', value: true },
    ];
    const changed = await send('member', 'PATCH', `/v1/runbooks/${name}`, change);
    expect(changed.body).toMatchObject({ disable_ramdisk: true, steps: [{ order: 2 }] });
    expect((await newRunbook('admin', { name })).status).toBe(409);
    expect((await send('member', 'DELETE', `/v1/runbooks/${name}`)).status).toBe(204);
    expect((await send('reader', 'GET', `/v1/runbooks/${name}`)).status).toBe(404);
  });

  it('are new with 1.92', async () => {
    expect((await send('admin', 'GET', '/v1/runbooks', undefined, 91)).status).toBe(404);
    expect((await send('admin', 'POST', '/v1/runbooks', {}, 91)).status).toBe(405);
    expect((await send('admin', 'GET', '/v1', undefined, 91)).body).not.toHaveProperty('runbooks');
    expect((await send('admin', 'GET', '/v1')).body).toHaveProperty('runbooks');
  });

  it.each<[string, object, string]>([
    ['a name that is no trait', { name: 'restart' }, 'is no trait'],
    ['no steps', { steps: [] }, 'must not be empty'],
    [
      'a step without order',
      { steps: [{ interface: 'bios', step: 's' }] },
      'must have interface, step, order',
    ],
    [
      'a step with priority',
      { steps: [{ interface: 'bios', step: 's', order: 1, priority: 1 }] },
      'nothing else',
    ],
    [
      'an unknown interface',
      { steps: [{ interface: 'rescue', step: 's', order: 1 }] },
      'must be one of bios',
    ],
    ['a step twice', { steps: [1, 2].map((order) => ({ interface: 'bios', step: 's', order })) }, 'twice'],
    ['an owner of a public one', { public: true, owner: 'acme' }, 'has no owner'],
  ])('refuse %s', async (_, fields, text) => {
    expect(await newRunbook('admin', fields)).toMatchObject({
      status: 400,
      error: expect.stringContaining(text),
    });
  });

  it('show no secrets, and keep them when their masks are sent back', async () => {
    const step = (password: string) => [{ interface: 'bios', step: 's', args: { password }, order: 1 }];
    const { body } = await newRunbook('admin', { steps: step('hunter2') });
    expect(body.steps).toEqual(step('******'));
    await send('admin', 'PATCH', `/v1/runbooks/${body.uuid}`, [
      { op: 'replace', path: '/steps', value: body.steps },
    ]);
    expect((await test.store.runbooks.find(body.uuid))?.steps).toEqual(step('hunter2'));
    expect((await newRunbook('admin', { steps: step('******') })).error).toContain('mask of a secret');
  });

  it('of a project are its own, public ones are for all', async () => {
    const own = (await newRunbook('acme manager')).body;
    expect(own.owner).toBe('acme');
    expect((await newRunbook('acme member')).status).toBe(403);
    expect((await newRunbook('acme manager', { owner: 'lena' })).status).toBe(403);
    expect((await newRunbook('acme manager', { public: true })).status).toBe(400);
    const open = (await newRunbook('member', { public: true })).body;
    const seenBy = async (who: string) =>
      (await send(who, 'GET', '/v1/runbooks')).body.runbooks.map(({ uuid }: { uuid: string }) => uuid);
    expect(await seenBy('acme reader')).toEqual([own.uuid, open.uuid]);
    expect(await seenBy('lena reader')).toEqual([open.uuid]);
    expect((await send('lena reader', 'GET', `/v1/runbooks/${own.uuid}`)).status).toBe(404);
    expect((await send('lena reader', 'GET', `/v1/runbooks/${open.uuid}`)).status).toBe(200);
    const patch = (who: string, uuid: string, path: string, value: unknown) =>
      send(who, 'PATCH', `/v1/runbooks/${uuid}`, [{ op: 'replace', path, value }]);
    expect((await patch('lena manager', own.uuid, '/extra', {})).status).toBe(404);
    expect((await patch('lena manager', open.uuid, '/extra', {})).status).toBe(403);
    expect((await patch('acme manager', own.uuid, '/extra', { a: 1 })).status).toBe(200);
    for (const [path, value] of [
      ['/owner', 'lena'],
      ['/public', true],
    ] as const) {
      expect((await patch('acme manager', own.uuid, path, value)).status).toBe(403);
    }
    expect((await patch('member', own.uuid, '/public', true)).body).toMatchObject({
      public: true,
      owner: null,
    });
    expect((await patch('member', own.uuid, '/owner', 'lena')).status).toBe(400);
  });
});

describe('a runbook in a provision verb', () => {
  async function node(traits: readonly string[]): Promise<string> {
    const made = await send('admin', 'POST', '/v1/nodes', { driver: 'fake-hardware', owner: 'acme' });
    const { uuid } = made.body;
    await send('admin', 'PUT', `/v1/nodes/${uuid}/traits`, { traits });
    await test.store.nodes.update(uuid, { provisionState: 'manageable' }, new Date());
    return uuid;
  }
  const provision = (who: string, uuid: string, body: object) =>
    send(who, 'PUT', `/v1/nodes/${uuid}/states/provision`, body);

  async function until(uuid: string, state: string): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      const { body } = await send('admin', 'GET', `/v1/nodes/${uuid}`);
      if (body.provision_state === state && body.reservation === null) return;
      if (Date.now() > deadline) throw new Error(`${body.provision_state}, not ${state}: ${body.last_error}`);
      await sleep(2);
    }
  }

  it('runs its steps by their order, for clean and for service', async () => {
    const { name } = await newRunbook('acme manager', { disable_ramdisk: true });
    const uuid = await node([name]);
    expect((await provision('acme manager', uuid, { target: 'clean', runbook: name })).status).toBe(202);
    await until(uuid, 'manageable');
    const [cleaned] = await test.store.operations.list(uuid, 1);
    expect(cleaned).toMatchObject({ kind: 'clean', state: 'done' });
    const detail = async (minor: number) =>
      (await send('admin', 'GET', `/v1/nodes/${uuid}/history?detail=true`, undefined, minor)).body.history.at(
        -1,
      );
    const latest = await detail(115);
    expect(latest).toMatchObject({
      event: 'clean finished',
      user: expect.any(String),
      project: 'acme',
      state: 'cleaning',
      target_provision_state: 'manageable',
      duration_seconds: expect.any(Number),
    });
    expect(Object.keys(latest)).toHaveLength(Object.keys(await detail(112)).length + 4);
    expect(await detail(114)).not.toHaveProperty('state');
    expect(await detail(112)).not.toHaveProperty('project');
    expect(cleaned?.steps.map(({ step }) => step)).toEqual(['factory_reset', 'apply_configuration']);
    await test.store.nodes.update(uuid, { provisionState: 'active' }, new Date());
    expect((await provision('acme manager', uuid, { target: 'service', runbook: name })).status).toBe(202);
    await until(uuid, 'active');
    expect((await test.store.operations.list(uuid, 1))[0]).toMatchObject({ kind: 'service', state: 'done' });
  });

  it('is for those who may use it, on nodes that have its trait', async () => {
    const own = await newRunbook('acme manager');
    const open = await newRunbook('member', { public: true });
    const foreign = await newRunbook('lena manager');
    const uuid = await node([own.name, open.name, foreign.name]);
    const bare = await node([]);
    const clean = (who: string, on: string, runbook: string) =>
      provision(who, on, { target: 'clean', runbook });
    expect((await clean('acme manager', bare, own.name)).error).toContain(`add the trait ${own.name}`);
    expect((await clean('acme member', uuid, own.name)).status).toBe(403);
    expect((await clean('acme member', uuid, foreign.name)).status).toBe(404);
    expect((await clean('acme member', uuid, 'CUSTOM_NONE')).status).toBe(404);
    expect((await clean('lena manager', uuid, foreign.name)).status).toBe(404);
    const both = {
      target: 'clean',
      runbook: own.name,
      clean_steps: [{ interface: 'bios', step: 'factory_reset' }],
    };
    expect((await provision('acme manager', uuid, both)).error).toContain('either clean_steps or runbook');
    expect((await clean('acme member', uuid, open.body.uuid)).status).toBe(202);
    await until(uuid, 'manageable');
  });

  it('has traits of its own from 1.112 on', async () => {
    const { body, status } = await newRunbook(
      'acme manager',
      { name: 'firmware-2026', description: 'd' },
      112,
    );
    expect([status, body.traits, body.description]).toEqual([201, [], 'd']);
    expect((await newRunbook('acme manager', { name: 'other-2026' })).error).toContain('is no trait');
    for (const name of ['a/b', body.uuid]) {
      expect((await newRunbook('acme manager', { name }, 112)).status).toBe(400);
    }
    const traits = (method: string, trait = '', content?: unknown, minor = 112) =>
      send('acme manager', method, `/v1/runbooks/firmware-2026/traits${trait}`, content, minor);
    const uuid = await node(['CUSTOM_B']);
    const clean = () => provision('acme manager', uuid, { target: 'clean', runbook: 'firmware-2026' });
    expect((await clean()).error).toContain('has no traits');
    expect((await traits('PUT', '/CUSTOM_A')).headers['location']).toContain('/traits/CUSTOM_A');
    expect((await clean()).error).toContain('add the trait CUSTOM_A');
    expect((await traits('PUT', '', { traits: ['CUSTOM_C', 'CUSTOM_B'] })).status).toBe(204);
    expect((await traits('GET')).body).toEqual({ traits: ['CUSTOM_B', 'CUSTOM_C'] });
    expect((await send('acme reader', 'DELETE', '/v1/runbooks/firmware-2026/traits')).status).toBe(403);
    expect((await traits('GET', '', undefined, 111)).status).toBe(404);
    for (const [trait, content] of [
      ['/bad', undefined],
      ['/CUSTOM_D', { a: 1 }],
      ['', { traits: 'x' }],
      ['', { traits: ['bad'] }],
    ] as const) {
      expect((await traits('PUT', trait, content)).status).toBe(400);
    }
    expect((await clean()).status).toBe(202);
    await until(uuid, 'manageable');
    expect((await traits('DELETE', '/CUSTOM_B')).status).toBe(204);
    expect((await clean()).error).toContain('add the trait CUSTOM_C');
    expect((await traits('DELETE')).status).toBe(204);
    const { body: older } = await newRunbook('acme manager');
    expect((await test.store.runbooks.find(older.uuid))?.traits).toEqual([older.name]);
  });
});
