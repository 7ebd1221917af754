import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../../test/fakes/api.ts';
import { type Answer, type Call, createCall } from '../../../../test/fakes/api-client.ts';
import { type FakeKeystone, startFakeKeystone, type TokenSpec } from '../../../../test/fakes/keystone.ts';
import { registerOperatorApi } from '../api.ts';
import { createServer } from '../server.ts';
import { guardRoutes } from './authorize.ts';
import { guardOf, ROUTE_POLICIES } from './route-policies.ts';

const TRAIT = 'CUSTOM_A';
/** In the walk, each parameter names something that is there: owned by `acme`, lent to `lena`. */
const NAMES: Readonly<Record<string, string>> = {
  '/v1/nodes': 'n',
  '/ingot/v1/nodes': 'n',
  '/v1/drivers': 'fake-hardware',
  '/v1/conductors': 'test-conductor',
};

interface Route {
  readonly method: string;
  readonly url: string;
}

async function registeredRoutes(): Promise<Route[]> {
  const scout = await createTestApi();
  const routes = registerOperatorApi(createServer(scout.deps.logger), scout.deps);
  await scout.close();
  return [...routes];
}

const ALL = await registeredRoutes();
const isOpen = ({ method, url }: Route) => ['public', 'ramdisk'].includes(guardOf(method, url)?.policy ?? '');
const GUARDED = ALL.filter((route) => !isOpen(route));
const OPEN = ALL.filter(isOpen);
const row = ({ method, url }: Route) => [method, url] as const;

/** What hangs on the node: ids by collection. */
const made: Record<string, string> = {};
function pathOf(url: string): string {
  if (url === '/v1/nodes/validate') return `${url}?node=n`;
  return url.replace(/\/:trait$/, `/${TRAIT}`).replaceAll(/:\w+/g, (name, at: number) => {
    const collection = url.slice(0, at - 1);
    return NAMES[collection] ?? made[collection] ?? name.slice(1);
  });
}

const ask = (
  call: Call,
  method: string,
  url: string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call(method, pathOf(url), method === 'GET' || method === 'DELETE' ? undefined : {}, {
    headers,
  });

async function furnish(call: Call): Promise<void> {
  const node = { driver: 'fake-hardware', name: 'n', owner: 'acme', lessee: 'lena' };
  const { body } = await call('POST', '/v1/nodes', { ...node, driver_info: { fake: 1 } });
  const node_uuid = body.uuid;
  const bodies = {
    '/v1/ports': { node_uuid, address: '52:54:00:00:00:01' },
    '/v1/portgroups': { node_uuid },
    '/v1/volume/connectors': { node_uuid, type: 'iqn', connector_id: 'iqn.2020-01.example:n' },
    '/v1/volume/targets': {
      node_uuid,
      volume_type: 'iscsi',
      volume_id: 'v',
      boot_index: 0,
      properties: { auth_username: 'u' },
    },
    '/v1/chassis': {},
    '/v1/deploy_templates': {
      name: TRAIT,
      steps: [{ interface: 'bios', step: 's', args: {}, priority: 1 }],
    },
    '/v1/allocations': { resource_class: 'none-such', owner: 'acme', name: 'theirs' },
    '/v1/inspection_rules': { actions: [{ op: 'fail', args: { msg: 'no' } }] },
    '/v1/runbooks': {
      name: TRAIT,
      owner: 'acme',
      steps: [{ interface: 'bios', step: 's', order: 1 }],
    },
  };
  for (const [path, content] of Object.entries(bodies)) {
    const answer = await call('POST', path, content);
    expect([path, answer.status, answer.error]).toEqual([path, 201, '']);
    made[path] = answer.body.uuid;
  }
  made['node'] = node_uuid;
}

it('every route has a policy; a route without one can not be registered', async () => {
  expect(GUARDED.length).toBeGreaterThan(60);
  expect(OPEN.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
    'GET /',
    'GET /v1',
    'GET /v1/lookup',
    'POST /v1/continue_inspection',
    'POST /v1/heartbeat/:node',
    'POST /v1/lookup',
  ]);
  for (const { method, url } of ALL) expect([url, guardOf(method, url)]).not.toEqual([url, undefined]);
  const test = await createTestApi();
  const app = createServer(test.deps.logger);
  guardRoutes(app);
  expect(() => app.get('/v1/forgotten', async () => 'open')).toThrow(
    'No policy for GET /v1/forgotten: add a row',
  );
  expect(() => app.patch('/v1/drivers', async () => 'open')).toThrow('No policy for PATCH /v1/drivers');
  await Promise.all([app.close(), test.close()]);
});

describe('auth none', () => {
  let test: TestApi;
  beforeAll(async () => {
    test = await createTestApi();
    await furnish(createCall(test.api));
  });
  afterAll(() => test.close());

  it.each(ALL.map(row))('%s %s is open', async (method, url) => {
    expect([401, 403]).not.toContain((await ask(createCall(test.api), method, url)).status);
  });
});

describe('auth http_basic', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-users-'));
  const file = join(directory, 'users');
  const header = { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` };
  let test: TestApi;
  let call: Call;
  beforeAll(async () => {
    writeFileSync(file, `ada:${hashSync('lovelace', 4)}\n`);
    test = await createTestApi({ auth: 'http_basic', htpasswdFile: file });
    call = createCall(test.api);
  });
  afterAll(async () => {
    await test.close();
    rmSync(directory, { recursive: true });
  });

  it.each(GUARDED.map(row))('%s %s needs a user, who may do everything', async (method, url) => {
    const without = await ask(call, method, url);
    expect(without).toMatchObject({ status: 401, body: { error: { code: 401 } } });
    expect(without.headers['www-authenticate']).toBe('Basic realm="Baremetal API"');
    expect((await ask(call, method, url, { 'x-auth-token': 'a-token' })).status).toBe(401);
    expect([401, 403]).not.toContain((await ask(call, method, url, header)).status);
  });

  it.each(OPEN.map(row))('%s %s is open', async (method, url) => {
    expect([401, 403]).not.toContain((await ask(call, method, url)).status);
  });
});

describe('auth keystone', () => {
  let keystone: FakeKeystone;
  let test: TestApi;
  let call: Call;
  const tokens = new Map<string, string>();
  /** Headers with a token of these roles, the same one for the same roles. */
  const as = (spec: TokenSpec): Record<string, string> => {
    const key = JSON.stringify(spec);
    const token = tokens.get(key) ?? keystone.issue(spec);
    tokens.set(key, token);
    return { 'x-auth-token': token };
  };
  const system = (role: string) => as({ system: true, roles: [role] });
  const project = (id: string, role: string) => as({ project: id, roles: [role] });
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    call(method, path, body, { headers });

  beforeAll(async () => {
    keystone = await startFakeKeystone();
    test = await createTestApi({ auth: 'keystone', keystone: keystone.settings });
    call = createCall(test.api);
    const admin = system('admin');
    await furnish((method, path, body) => send(method, path, admin, body));
  });
  afterAll(async () => {
    await test.close();
    await keystone[Symbol.asyncDispose]();
  });

  it.each(GUARDED.map(row))('%s %s needs a valid token', async (method, url) => {
    for (const headers of [{}, { 'x-auth-token': 'none-such' }, { authorization: 'Basic YTpi' }]) {
      const answer = await ask(call, method, url, headers as Record<string, string>);
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 401, title: 'Unauthorized' } } });
      expect(answer.headers['www-authenticate']).toBe('Keystone uri="https://keystone.example/"');
    }
  });

  it.each(OPEN.map(row))('%s %s is open', async (method, url) => {
    expect([401, 403]).not.toContain((await ask(call, method, url)).status);
  });

  /** Lists that anybody may ask for, and see nothing in. */
  const LISTS = GUARDED.filter(
    ({ method, url }) => guardOf(method, url)?.policy.endsWith(':list') === true,
  ).filter(({ url }) => !url.includes(':'));
  const isList = ({ url, method }: Route) => LISTS.some((one) => one.url === url && one.method === method);

  it.each(GUARDED.map(row))('%s %s rejects tokens without roles or scope', async (method, url) => {
    expect((await ask(call, method, url, as({}))).status).toBe(403);
    expect((await ask(call, method, url, as({ roles: ['admin', 'service'] }))).status).toBe(403);
    expect((await ask(call, method, url, as({ system: true, roles: ['auditor'] }))).status).toBe(403);
    expect([403, 404]).toContain((await ask(call, method, url, as({ project: 'acme', roles: [] }))).status);
  });

  /** Routes that describe the API and belong to no project. */
  const isDescription = ({ method, url }: Route) => guardOf(method, url)?.policy === 'api:describe';

  it.each(GUARDED.filter(isDescription).map(row))('%s %s is for all in a project', async (method, url) => {
    expect((await ask(call, method, url, project('stranger', 'reader'))).status).toBe(200);
  });

  it.each(GUARDED.filter((route) => !isList(route) && !isDescription(route)).map(row))(
    '%s %s is not for strangers: 404 for what is not theirs, 403 for the rest',
    async (method, url) => {
      const hidden = guardOf(method, url)?.subject != null;
      const answer = await ask(call, method, url, project('stranger', 'reader'));
      expect(answer.status).toBe(hidden ? 404 : 403);
    },
  );

  it.each(LISTS.map(row))('%s %s is empty for other projects', async (method, url) => {
    const answer = await ask(call, method, url, project('stranger', 'reader'));
    expect(answer.status).toBe(200);
    const lists = Object.values(answer.body).filter((value) => Array.isArray(value) && url !== '/v1/volume');
    expect(lists).toEqual(url === '/v1/volume' ? [] : [[]]);
  });

  it.each(GUARDED.filter(({ method }) => method !== 'GET').map(row))(
    '%s %s is not for readers, be they of the system, the owner or the lessee',
    async (method, url) => {
      for (const reader of [system('reader'), project('acme', 'reader'), project('lena', 'reader')]) {
        const { status } = await ask(call, method, url, reader);
        // The allocation and the runbook are of their owner alone.
        expect([403, ...(/^\/v1\/(allocations|runbooks)/.test(url) ? [404] : [])]).toContain(
          url === '/v1/nodes/:node/allocation' && status === 404 ? 403 : status,
        );
      }
    },
  );

  it.each(GUARDED.filter(({ method }) => method === 'GET').map(row))(
    '%s %s is for system members, and system readers but for what touches hardware',
    async (method, url) => {
      const operating = ['validate', 'boot_device', 'supported', 'console', 'vendor_passthru'];
      const reading = (await ask(call, method, url, system('reader'))).status;
      if (operating.some((word) => url.includes(word))) expect(reading).toBe(403);
      else expect([401, 403]).not.toContain(reading);
    },
  );

  it('a node of another project is treated like one that does not exist', async () => {
    const stranger = project('stranger', 'admin');
    const missing = '11111111-2222-3333-4444-555555555555';
    const uuid = made['node'] as string;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', []],
      ['PATCH', '', [{ op: 'replace', path: '/name', value: 'mine' }]],
      ['DELETE', '', undefined],
      ['PUT', '/states/power', {}],
      ['PUT', '/states/power', { target: 'power on' }],
      ['PUT', '/states/provision', { target: 'nonsense' }],
      ['GET', '/ports', undefined],
      ['GET', '/history', undefined],
    ] as const) {
      const theirs = await send(method, `/v1/nodes/${uuid}${path}`, stranger, body);
      const none = await send(method, `/v1/nodes/${missing}${path}`, stranger, body);
      expect(theirs.status).toBe(404);
      expect(theirs.error).toBe(none.error.replace(missing, uuid));
    }
    expect((await send('GET', '/v1/nodes/n', stranger)).error).toBe('Node n could not be found.');
    expect((await send('GET', `/ingot/v1/nodes/n/timeline`, stranger)).status).toBe(404);
    const filtered = await send('GET', `/v1/ports?node=${uuid}`, stranger);
    const absent = await send('GET', `/v1/ports?node=${missing}`, stranger);
    expect([filtered.status, filtered.error]).toEqual([absent.status, absent.error.replace(missing, uuid)]);
    for (const marker of [uuid, missing]) {
      const answer = await send('GET', `/v1/nodes?marker=${marker}`, stranger);
      expect(answer).toMatchObject({ status: 404, error: `Node ${marker} could not be found.` });
    }
    for (const path of ['/v1/ports', '/v1/portgroups', '/v1/volume/targets', '/v1/allocations']) {
      expect((await send('GET', `${path}?marker=${made[path]}`, stranger)).status).toBe(404);
    }
  });

  it('the same is true for nodes that a body names', async () => {
    const stranger = project('stranger', 'admin');
    const uuid = made['node'] as string;
    const port = { node_uuid: uuid, address: '52:54:00:00:00:09' };
    expect(await send('POST', '/v1/ports', stranger, port)).toMatchObject({
      status: 400,
      error: `Node ${uuid} could not be found.`,
    });
    expect((await send('POST', '/v1/ports', project('lena', 'admin'), port)).status).toBe(403);
    expect((await send('POST', '/v1/ports', project('acme', 'member'), port)).status).toBe(403);
    expect((await send('POST', '/v1/ports', project('acme', 'admin'), port)).status).toBe(201);
    const own = await send('POST', '/v1/nodes', stranger, { driver: 'fake-hardware' });
    expect(own.body.owner).toBe('stranger');
    const grouped = { node_uuid: own.body.uuid, address: '52:54:00:00:00:0a' };
    expect(
      await send('POST', '/v1/ports', stranger, { ...grouped, portgroup_uuid: made['/v1/portgroups'] }),
    ).toMatchObject({ status: 404, error: `Portgroup ${made['/v1/portgroups']} could not be found.` });
    const mine = await send('POST', '/v1/ports', stranger, grouped);
    expect(mine.status).toBe(201);
    const moved = [{ op: 'replace', path: '/node_uuid', value: uuid }];
    expect(await send('PATCH', `/v1/ports/${mine.body.uuid}`, stranger, moved)).toMatchObject({
      status: 400,
    });
    for (const body of [{ node: uuid }, { resource_class: 'x', candidate_nodes: [uuid] }]) {
      const answer = await send('POST', '/v1/allocations', stranger, body);
      expect(answer).toMatchObject({ status: 400, error: `Node ${uuid} could not be found.` });
    }
    expect((await send('DELETE', `/v1/nodes/${own.body.uuid}`, stranger)).status).toBe(204);
  });

  it('lists hold what belongs to the project as owner or lessee', async () => {
    const count = async (path: string, headers: Record<string, string>) =>
      (Object.values((await send('GET', path, headers)).body)[0] as unknown[]).length;
    for (const who of ['acme', 'lena']) {
      for (const path of ['/v1/nodes', '/v1/nodes/detail', '/v1/portgroups', '/v1/volume/targets']) {
        expect([who, path, await count(path, project(who, 'reader'))]).toEqual([who, path, 1]);
      }
    }
    expect(await count('/v1/allocations', project('acme', 'reader'))).toBe(1);
    expect(await count('/v1/allocations', project('lena', 'reader'))).toBe(0);
    expect(await count('/v1/nodes?project=acme', project('acme', 'reader'))).toBe(1);
    expect((await send('GET', '/v1/nodes?project=acme', project('lena', 'reader'))).status).toBe(403);
    expect(await count('/v1/nodes?owner=acme', project('stranger', 'reader'))).toBe(0);
  });

  it('hides data about the infrastructure from lessees', async () => {
    const redacted = (name: string) => `** Redacted - requires baremetal:node:get:${name} permission. **`;
    const { body } = await send('GET', '/v1/nodes/n', project('lena', 'admin'));
    expect(body).toMatchObject({
      last_error: redacted('last_error'),
      reservation: redacted('reservation'),
      driver_info: { content: redacted('driver_info') },
      driver_internal_info: { content: redacted('driver_internal_info') },
    });
    const list = await send('GET', '/v1/nodes/detail', project('lena', 'member'));
    expect(list.body.nodes[0].driver_info).toEqual({ content: redacted('driver_info') });
    const states = await send('GET', '/v1/nodes/n/states', project('lena', 'reader'));
    expect(states.body.last_error).toBe(redacted('last_error'));
    expect((await send('GET', '/v1/nodes/n/history', project('lena', 'admin'))).status).toBe(403);
    for (const who of [project('acme', 'reader'), system('reader')]) {
      const seen = await send('GET', '/v1/nodes/n', who);
      expect(seen.body).toMatchObject({ driver_info: { fake: 1 }, last_error: null, reservation: null });
    }
    const target = `/v1/volume/targets/${made['/v1/volume/targets']}`;
    const properties = async (who: Record<string, string>) =>
      (await send('GET', target, who)).body.properties;
    expect(await properties(project('acme', 'member'))).toEqual({
      redacted_contents: '** Redacted - requires baremetal:volume:view_target_properties permission. **',
    });
    expect(await properties(project('acme', 'admin'))).toEqual({ auth_username: 'u' });
  });

  it.each([
    ['extra/a', 'lessee member', true],
    ['instance_info/a', 'lessee member', false],
    ['instance_info/a', 'lessee manager', true],
    ['driver_info/a', 'lessee admin', false],
    ['driver_info/a', 'owner member', true],
    ['properties/a', 'lessee admin', false],
    ['name', 'lessee admin', false],
    ['lessee', 'lessee admin', false],
    ['lessee', 'owner member', true],
    ['owner', 'owner admin', false],
    ['owner', 'system member', true],
    ['maintenance', 'lessee member', false],
    ['maintenance', 'owner member', true],
    ['boot_interface', 'owner member', false],
    ['boot_interface', 'owner manager', true],
    ['driver', 'owner member', false],
    ['conductor_group', 'owner admin', false],
    ['chassis_uuid', 'system member', false],
    ['chassis_uuid', 'system admin', true],
    ['shard', 'system member', false],
    ['automated_clean', 'owner admin', false],
    ['description', 'lessee member', true],
    ['description', 'owner reader', false],
  ])('/%s of a node may be changed by the %s: %s', async (field, who, may) => {
    const [standing = '', role = ''] = who.split(' ');
    const headers =
      standing === 'system' ? system(role) : project(standing === 'owner' ? 'acme' : 'lena', role);
    const values: Record<string, unknown> = {
      owner: 'acme',
      lessee: 'lena',
      driver: 'fake-hardware',
      boot_interface: 'fake',
      maintenance: false,
      automated_clean: false,
      chassis_uuid: made['/v1/chassis'],
      name: 'n',
    };
    const patch = [
      { op: 'add', path: '/description', value: 'd' },
      { op: 'add', path: `/${field}`, value: values[field] ?? 'x' },
    ];
    const { status, error } = await send('PATCH', '/v1/nodes/n', headers, patch);
    expect([status, error]).toEqual(may ? [200, ''] : [403, expect.stringContaining('Access was denied')]);
  });

  it('the owner of a node that is in use changes only by system admins', async () => {
    const uuid = made['node'] as string;
    await test.store.nodes.update(uuid, { provisionState: 'active' }, new Date());
    const patch = [{ op: 'replace', path: '/owner', value: 'acme' }];
    expect(await send('PATCH', '/v1/nodes/n', system('member'), patch)).toMatchObject({ status: 409 });
    expect((await send('PATCH', '/v1/nodes/n', system('admin'), patch)).status).toBe(200);
    await test.store.nodes.update(uuid, { provisionState: 'enroll' }, new Date());
  });

  it('validate by query checks the node that it names', async () => {
    const path = '/v1/nodes/validate?node=n';
    expect((await send('GET', path, project('stranger', 'admin'))).status).toBe(404);
    expect((await send('GET', path, project('lena', 'member'))).status).toBe(403);
    expect((await send('GET', path, project('acme', 'member'))).status).toBe(200);
  });

  it('a project owns what it creates', async () => {
    const stranger = project('stranger', 'admin');
    const theirs = { driver: 'fake-hardware', owner: 'acme' };
    expect((await send('POST', '/v1/nodes', stranger, theirs)).status).toBe(403);
    expect((await send('POST', '/v1/nodes', project('stranger', 'manager'), {})).status).toBe(403);
    const member = project('stranger', 'member');
    const { body } = await send('POST', '/v1/allocations', member, { resource_class: 'x' });
    expect(body.owner).toBe('stranger');
    const foreign = { resource_class: 'x', owner: 'acme' };
    expect((await send('POST', '/v1/allocations', member, foreign)).status).toBe(403);
    const path = `/v1/allocations/${body.uuid}`;
    expect((await send('GET', path, project('acme', 'admin'))).status).toBe(404);
    expect((await send('DELETE', path, project('stranger', 'reader'))).status).toBe(403);
    expect((await send('DELETE', path, member)).status).toBe(204);
  });

  it('the service role counts in the service project of the right domain', async () => {
    const service = { project: 'svc', projectName: 'service', roles: ['service'] };
    const patch = [{ op: 'replace', path: '/owner', value: 'acme' }];
    expect((await send('PATCH', '/v1/nodes/n', as(service), patch)).status).toBe(200);
    expect((await send('GET', '/v1/nodes/n', as({ ...service, projectDomain: 'Evil' }))).status).toBe(404);
    expect((await send('GET', '/v1/nodes/n', as({ ...service, roles: ['admin'] }))).status).toBe(404);
    const owners = as({ project: 'acme', roles: ['service'] });
    expect((await send('GET', '/v1/nodes/n', owners)).status).toBe(200);
    expect((await send('PATCH', '/v1/nodes/n', owners, patch)).status).toBe(403);
  });
});

it('no row has a duplicate or unused form', () => {
  for (const path of Object.keys(ROUTE_POLICIES))
    expect(path).toMatch(/^\/(ingot\/)?(v1)?(\/([a-z_.]+|\*))*$/);
});
