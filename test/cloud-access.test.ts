/**
 * Access to the façade: every route of its four services with every way of authentication, and what belongs to
 * another project.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverOf } from './fakes/compute/records.ts';
import { type CloudRoute, createWholeCloud, type WholeCloud } from './fakes/compute/whole-cloud.ts';
import { type FakeKeystone, startFakeKeystone } from './fakes/keystone.ts';

type Headers = Readonly<Record<string, string>>;

const dir = mkdtempSync(join(tmpdir(), 'ingot-access-'));
const htpasswdFile = join(dir, 'users');
writeFileSync(htpasswdFile, `ada:${hashSync('long', 4)}\n`);
afterAll(() => rmSync(dir, { recursive: true }));

const NOBODY = 'nothing-here';
const pathOf = ({ url }: CloudRoute): string => url.replaceAll(/:\w+/g, NOBODY);
const isOpen = ({ access }: CloudRoute): boolean => access === 'public';
const named = ({ method, url }: CloudRoute): string => `${method} ${url}`;

/**
 * Calls all routes; returns status by route. The status for an empty body depends on the route and does not matter.
 */
async function walk(
  cloud: WholeCloud,
  routes: readonly CloudRoute[],
  headers: Headers,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const route of routes) {
    const body = ['POST', 'PUT', 'PATCH'].includes(route.method) ? {} : undefined;
    const { status } = await cloud.call(route.method, pathOf(route), body, headers);
    found.set(named(route), status);
  }
  return found;
}
const those = (found: ReadonlyMap<string, number>, wrong: (status: number) => boolean): string[] =>
  [...found].filter(([, status]) => wrong(status)).map(([name, status]) => `${name}: ${status}`);
/** One route for each service and access, for answers that do not depend on the route. */
const sampleOf = (routes: readonly CloudRoute[]): CloudRoute[] => [
  ...new Map(routes.map((route) => [`${route.access} ${route.url.split('/')[1]}`, route])).values(),
];
const isRefused = (status: number): boolean => status === 401 || status === 403;

describe('without authentication', () => {
  let cloud: WholeCloud;
  beforeAll(async () => {
    cloud = await createWholeCloud({ auth: 'none' });
  });
  afterAll(() => cloud[Symbol.asyncDispose]());

  it('every route is open, and none fails with 500', async () => {
    expect(cloud.routes.length).toBeGreaterThan(150);
    const open = cloud.routes.filter(isOpen).map(named);
    expect(open.toSorted()).toEqual([
      'GET /compute',
      'GET /compute/v2.1/',
      'GET /compute/v2/',
      'GET /identity',
      'GET /identity/v3',
      'GET /image',
      'GET /image/v2',
      'GET /image/versions',
      'GET /network',
      'POST /identity/v3/auth/tokens',
    ]);
    const found = await walk(cloud, cloud.routes, {});
    expect(those(found, (status) => isRefused(status) || status >= 500)).toEqual([]);
  });

  it('every route rejects a foreign host name', async () => {
    const found = await walk(cloud, cloud.routes, { host: 'evil.example' });
    expect(those(found, (status) => status !== 403)).toEqual([]);
  });
});

describe('http_basic', () => {
  let cloud: WholeCloud;
  let token: string;
  const basic = (password: string): Headers => ({
    authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
  });
  async function logIn(scope?: string): Promise<string> {
    const user = { name: 'ada', domain: { id: 'default' }, password: 'long' };
    const auth = { identity: { methods: ['password'], password: { user } }, scope };
    const { headers } = await cloud.call('POST', '/identity/v3/auth/tokens', { auth }, {});
    return String(headers['x-subject-token']);
  }
  beforeAll(async () => {
    cloud = await createWholeCloud({ auth: 'http_basic', htpasswdFile });
    token = await logIn();
  });
  afterAll(() => cloud[Symbol.asyncDispose]());

  it('every route but the public ones requires authentication, with the error form of its service', async () => {
    const guarded = cloud.routes.filter((route) => !isOpen(route));
    expect(those(await walk(cloud, guarded, {}), (status) => status !== 401)).toEqual([]);
    for (const headers of [{ 'x-auth-token': 'notused' }, { 'x-auth-token': `${token}x` }]) {
      const found = await walk(cloud, sampleOf(guarded), headers);
      expect(those(found, (status) => status !== 401)).toEqual([]);
    }
    const { headers, body } = await cloud.call('GET', '/image/v2/images', undefined, {});
    expect(headers['www-authenticate']).toBe('Basic realm="Baremetal API"');
    expect(body.error.code).toBe(401);
    const bodies = ['/compute/v2.1/servers', '/network/v2.0/ports', '/identity/v3/users'].map(
      async (path) => (await cloud.call('GET', path, undefined, {})).body,
    );
    expect(await Promise.all(bodies)).toEqual([
      { unauthorized: { code: 401, message: expect.any(String) } },
      { NeutronError: expect.objectContaining({ type: expect.any(String) }) },
      { error: { code: 401, message: expect.any(String), title: 'Unauthorized' } },
    ]);
  });

  it('other spellings of a path require authentication, too', async () => {
    for (const path of [
      '/compute/v2/servers',
      '/compute/v2.1/default/servers',
      '/compute/v2.1//servers',
      '/compute/v2.1/servers/',
      '/network//v2.0/ports',
      '/image/v2/images/',
    ]) {
      const { status } = await cloud.call('GET', path, undefined, {});
      expect([path, status === 401 || status === 404]).toEqual([path, true]);
    }
  });

  it('every user with a password or a token may do everything', async () => {
    const isWrong = (status: number) => isRefused(status) || status >= 500;
    expect(those(await walk(cloud, cloud.routes, { 'x-auth-token': token }), isWrong)).toEqual([]);
    expect(those(await walk(cloud, sampleOf(cloud.routes), basic('long')), isWrong)).toEqual([]);
  });

  it('an unscoped token is valid only for the identity service', async () => {
    const unscoped = { 'x-auth-token': await logIn('unscoped') };
    const guarded = cloud.routes.filter((route) => !isOpen(route) && route.access !== 'token');
    expect(those(await walk(cloud, guarded, unscoped), (status) => status !== 403)).toEqual([]);
  });
});

describe('keystone', () => {
  let keystone: FakeKeystone;
  let cloud: WholeCloud;
  const as = (project: string | undefined, ...roles: string[]): Headers => ({
    'x-auth-token': keystone.issue({
      roles,
      user: `${roles[0]}-of-${project}`,
      ...(project === undefined ? {} : { project }),
    }),
  });
  const asAdmin = (project?: string): Headers => ({
    'x-auth-token': keystone.issue({
      roles: ['admin'],
      user: 'root',
      ...(project === undefined ? { system: true } : { project, projectName: 'operators' }),
    }),
  });
  beforeAll(async () => {
    keystone = await startFakeKeystone();
    cloud = await createWholeCloud({ auth: 'keystone', keystone: keystone.settings });
  });
  afterAll(async () => {
    await cloud[Symbol.asyncDispose]();
    await keystone[Symbol.asyncDispose]();
  });
  const withAccess = (...some: CloudRoute['access'][]) =>
    cloud.routes.filter(({ access }) => some.includes(access));

  it('the identity service of Ingot is not served', () => {
    expect(cloud.routes.filter(({ url }) => url.startsWith('/identity'))).toEqual([]);
  });

  it('every route rejects requests without a valid token and with an unscoped one', async () => {
    const guarded = withAccess('token', 'reader', 'member', 'admin');
    expect(those(await walk(cloud, guarded, {}), (status) => status !== 401)).toEqual([]);
    const made = await walk(cloud, sampleOf(guarded), { 'x-auth-token': 'made-up' });
    expect(those(made, (status) => status !== 401)).toEqual([]);
    expect(those(await walk(cloud, guarded, as(undefined)), (status) => status !== 403)).toEqual([]);
    for (const headers of [as(undefined, 'admin'), as('acme')]) {
      const found = await walk(cloud, sampleOf(guarded), headers);
      expect(those(found, (status) => status !== 403)).toEqual([]);
    }
  });

  it('readers may read, members may change, admins may do everything', async () => {
    const isNo = (status: number) => status !== 403;
    const reads = await walk(cloud, withAccess('reader'), as('acme', 'reader'));
    // Rejected: quotas and usage of another project.
    expect(those(reads, (status) => isRefused(status) || status >= 500).filter(isElsewhere)).toEqual([]);
    expect(those(await walk(cloud, withAccess('member', 'admin'), as('acme', 'reader')), isNo)).toEqual([]);
    const changes = await walk(cloud, withAccess('member'), as('acme', 'member'));
    expect(those(changes, (status) => status === 401 || status >= 500)).toEqual([]);
    expect(those(await walk(cloud, withAccess('admin'), as('acme', 'member')), isNo)).toEqual([]);
    const all = await walk(cloud, cloud.routes, asAdmin());
    expect(those(all, (status) => isRefused(status) || status >= 500)).toEqual([]);
    const named = await walk(cloud, sampleOf(cloud.routes), asAdmin('p-ops'));
    expect(those(named, (status) => isRefused(status) || status >= 500)).toEqual([]);
  });

  it('the roles admin and service of an ordinary project administer nothing', async () => {
    const routes = withAccess('admin');
    expect(routes.length).toBeGreaterThan(20);
    for (const headers of [as('acme', 'admin'), as('acme', 'service', 'member'), as('acme', 'service')]) {
      expect(those(await walk(cloud, routes, headers), (status) => status !== 403)).toEqual([]);
    }
  });
  const isElsewhere = (line: string): boolean => !line.includes('/:project');

  describe('what belongs to a project', () => {
    /** Ids of what the project acme owns, by path. */
    const things = new Map<string, string>();
    async function make(
      path: string,
      body: object,
      headers: Headers,
      key: string,
      id = 'id',
    ): Promise<string> {
      const answer = await cloud.call('POST', path, body, headers);
      expect([path, answer.status < 300, answer.body]).toEqual([path, true, expect.anything()]);
      const one = key === '' ? answer.body : answer.body[key];
      things.set(path, one[id]);
      return one[id];
    }
    const owned = () =>
      cloud.routes.flatMap((route) => {
        const [path] = [...things.keys()].filter((one) => route.url.startsWith(`${one}/:`));
        const id = things.get(path ?? '');
        return id === undefined ? [] : [{ ...route, url: route.url.replace(/:\w+/, id) }];
      });

    beforeAll(async () => {
      const [member, admin] = [as('acme', 'member'), asAdmin('acme')];
      await make('/compute/v2.1/os-keypairs', { keypair: { name: 'key' } }, member, 'keypair', 'name');
      const group = { name: 'g', policies: ['affinity'] };
      await make('/compute/v2.1/os-server-groups', { server_group: group }, member, 'server_group');
      await make('/image/v2/images', { name: 'i' }, member, '');
      const network_id = await make('/network/v2.0/networks', { network: { name: 'n' } }, admin, 'network');
      const subnet = { network_id, ip_version: 4, cidr: '10.7.0.0/24' };
      await make('/network/v2.0/subnets', { subnet }, admin, 'subnet');
      await make('/network/v2.0/ports', { port: { network_id } }, member, 'port');
      const { id: _, createdAt, updatedAt, ...server } = serverOf({ projectId: 'acme', vmState: 'active' });
      await cloud.store.compute.servers.create({ ...server, taskState: null }, new Date());
      things.set('/compute/v2.1/servers', server.uuid);
    });

    it('is visible to members of the project', async () => {
      const items = owned().filter(({ method, url }) => method === 'GET' && url.split('/').length === 5);
      expect(items).toHaveLength(things.size);
      const found = await walk(cloud, items, as('acme', 'reader'));
      expect(those(found, (status) => status !== 200)).toEqual(
        // Only its user sees a key pair.
        [expect.stringContaining('os-keypairs/key: 404')],
      );
    });

    it('is 404 for others, and never changed', async () => {
      const own = owned().filter(({ access }) => access !== 'admin');
      expect(own.length).toBeGreaterThan(40);
      const reads = own.filter(({ method }) => method === 'GET');
      const found = await walk(cloud, reads, as('zeta', 'member'));
      expect(those(found, (status) => status !== 404)).toEqual([]);
      const changes = await walk(
        cloud,
        own.filter(({ method }) => method !== 'GET'),
        as('zeta', 'member'),
      );
      // The body may be rejected before the owner is checked.
      expect(those(changes, (status) => ![404, 400, 415].includes(status))).toEqual([]);
      expect(those(changes, (status) => status === 404).length).toBeGreaterThan(15);
    });

    it('is in no list of another project', async () => {
      const other = as('zeta', 'reader');
      for (const [path, id] of things) {
        const { status, body } = await cloud.call('GET', path, undefined, other);
        expect([path, status, JSON.stringify(body).includes(`"${id}"`)]).toEqual([path, 200, false]);
      }
      const mine = await cloud.call('GET', '/compute/v2.1/servers', undefined, as('acme', 'reader'));
      expect(mine.body.servers).toHaveLength(1);
    });
  });
});
