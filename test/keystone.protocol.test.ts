/**
 * Tokens of a real Keystone (Debian's), and the unmodified `openstack` client, which finds Ingot in Keystone's
 * catalog.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AuthSettings } from '@ingot/conductor/auth/create-authentication.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from './fakes/api.ts';
import { createCall } from './fakes/api-client.ts';
import { createWholeCloud, type WholeCloud } from './fakes/compute/whole-cloud.ts';
import { type KeystoneServer, type Scope, startKeystone } from './keystone-server.ts';

const run = promisify(execFile);
const PASSWORD = 'a-password';
/** user, role, scope: the tests below expect these. */
const ASSIGNMENTS = [
  ['ironic', 'service', 'service'],
  ['nova', 'service', 'service'],
  ['sysadmin', 'admin', null],
  ['auditor', 'reader', null],
  ['olga', 'admin', 'acme'],
  ['lena', 'member', 'tenant'],
  ['sam', 'admin', 'stranger'],
  ['mia', 'member', 'stranger'],
] as const;

let keystone: KeystoneServer;
let cloud: WholeCloud;
let test: TestApi;
let endpoint: string;

const scopeOf = (project: string | null): Scope => (project === null ? { system: true } : { project });
const tokenOf = (user: string): Promise<string> => {
  const found = ASSIGNMENTS.find(([name]) => name === user);
  return keystone.logIn(user, PASSWORD, scopeOf(found?.[2] ?? null));
};
async function call(token: string, method: string, path: string, body?: unknown) {
  return createCall(test.api)(method, path, body, { headers: { 'x-auth-token': token } });
}

/** Users, projects and roles; returns project ids by name. */
async function populate(): Promise<Map<string, string>> {
  const { roles } = await keystone.admin('GET', 'roles');
  const roleIds = new Map<string, string>(
    roles.map((role: { name: string; id: string }) => [role.name, role.id]),
  );
  const projects = new Map<string, string>();
  const domain_id = 'default';
  for (const [name, role, project] of ASSIGNMENTS) {
    if (!roleIds.has(role)) {
      roleIds.set(role, (await keystone.admin('POST', 'roles', { role: { name: role } })).role.id);
    }
    if (project !== null && !projects.has(project)) {
      const made = await keystone.admin('POST', 'projects', { project: { name: project, domain_id } });
      projects.set(project, made.project.id);
    }
    const { user } = await keystone.admin('POST', 'users', { user: { name, password: PASSWORD, domain_id } });
    const place = project === null ? 'system' : `projects/${projects.get(project)}`;
    await keystone.admin('PUT', `${place}/users/${user.id}/roles/${roleIds.get(role)}`);
  }
  return projects;
}

async function announce(type: string, url: string): Promise<void> {
  const { service } = await keystone.admin('POST', 'services', { service: { name: 'ingot', type } });
  for (const name of ['public', 'internal', 'admin']) {
    const one = { interface: name, region_id: 'here', service_id: service.id, url };
    await keystone.admin('POST', 'endpoints', { endpoint: one });
  }
}

const uuids = new Map<string, string>();

describe('a real Keystone', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    keystone = await startKeystone();
    const projects = await populate();
    const settings: Partial<AuthSettings> = {
      auth: 'keystone',
      keystone: {
        authUrl: keystone.url,
        publicUrl: null,
        username: 'ironic',
        password: PASSWORD,
        userDomain: 'Default',
        project: 'service',
        projectDomain: 'Default',
        caFile: null,
        timeoutMs: 20_000,
        cacheMs: 0,
        serviceProject: 'service',
        serviceProjectDomain: 'Default',
        adminProject: 'operators',
        adminProjectDomain: 'Default',
      },
    };
    test = await createTestApi(settings);
    cloud = await createWholeCloud(settings);
    endpoint = await test.api.listen({ host: '127.0.0.1', port: 0 });
    const facade = await cloud.listen();
    await keystone.admin('PUT', 'regions/here', { region: {} });
    await announce('baremetal', endpoint);
    await announce('compute', `${facade}/compute/v2.1`);
    await announce('image', `${facade}/image`);
    await announce('network', `${facade}/network`);
    const admin = await tokenOf('sysadmin');
    const owned = { owner: projects.get('acme'), lessee: projects.get('tenant') };
    for (const [name, fields] of [
      ['theirs', owned],
      ['free', {}],
    ] as const) {
      const made = await call(admin, 'POST', '/v1/nodes', { driver: 'fake-hardware', name, ...fields });
      expect(made.status).toBe(201);
      uuids.set(name, made.body.uuid);
    }
  }, 180_000);
  afterAll(async () => {
    await test?.close();
    await cloud?.[Symbol.asyncDispose]();
    await keystone?.[Symbol.asyncDispose]();
  });

  it.each([
    ['sysadmin', ['theirs', 'free']],
    ['auditor', ['theirs', 'free']],
    ['nova', ['theirs', 'free']],
    ['olga', ['theirs']],
    ['lena', ['theirs']],
    ['sam', []],
  ])('%s sees %j', async (user, names) => {
    const { body } = await call(await tokenOf(user), 'GET', '/v1/nodes');
    expect(body.nodes.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it.each([
    ['sysadmin', 200],
    ['nova', 200],
    ['auditor', 403],
    ['olga', 200],
    ['lena', 403],
    ['sam', 404],
  ])('%s gets %d for a change of instance_info', async (user, status) => {
    const patch = [{ op: 'add', path: '/instance_info/a', value: user }];
    expect((await call(await tokenOf(user), 'PATCH', '/v1/nodes/theirs', patch)).status).toBe(status);
  });

  it('rejects no token, an invalid, a revoked and an unscoped token', async () => {
    const token = await tokenOf('olga');
    expect((await call(`${token.slice(0, -4)}AAAA`, 'GET', '/v1/nodes')).status).toBe(401);
    expect((await call('not a token', 'GET', '/v1/nodes')).status).toBe(401);
    const unscoped = await keystone.logIn('olga', PASSWORD, null);
    expect((await call(unscoped, 'GET', '/v1/nodes')).status).toBe(403);
    expect((await call(token, 'GET', '/v1/nodes')).status).toBe(200);
    const revoked = await fetch(`${keystone.url}/v3/auth/tokens`, {
      method: 'DELETE',
      headers: { 'x-auth-token': token, 'x-subject-token': token },
    });
    expect(revoked.status).toBe(204);
    expect((await call(token, 'GET', '/v1/nodes')).status).toBe(401);
    const without = await createCall(test.api)('GET', '/v1/nodes');
    expect([without.status, without.headers['www-authenticate']]).toEqual([
      401,
      `Keystone uri="${keystone.url}"`,
    ]);
  });

  async function openstack(user: string, ...args: string[]): Promise<string> {
    const project = ASSIGNMENTS.find(([name]) => name === user)?.[2] ?? null;
    const scope: Record<string, string> =
      project === null
        ? { OS_SYSTEM_SCOPE: 'all' }
        : { OS_PROJECT_NAME: project, OS_PROJECT_DOMAIN_NAME: 'Default' };
    const env = {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      OS_AUTH_URL: `${keystone.url}/v3`,
      OS_IDENTITY_API_VERSION: '3',
      OS_USERNAME: user,
      OS_USER_DOMAIN_NAME: 'Default',
      OS_PASSWORD: PASSWORD,
      ...scope,
    };
    return (await run('/usr/bin/python3', ['/usr/bin/openstack', ...args], { env })).stdout;
  }

  it('the openstack client finds the façade in the catalog, and members of a project see only its servers', async () => {
    const names = async (user: string, ...of: string[]) =>
      JSON.parse(await openstack(user, ...of, 'list', '-f', 'json')).map((one: { Name: string }) => one.Name);
    await openstack('sysadmin', 'flavor', 'create', '--ram', '512', '--vcpus', '1', '--disk', '1', 'small');
    expect(await names('lena', 'flavor')).toEqual(['small']);
    await expect(openstack('lena', 'flavor', 'delete', 'small')).rejects.toMatchObject({
      stderr: expect.stringContaining('it needs the role admin'),
    });
    await openstack('lena', 'server', 'group', 'create', '--policy', 'affinity', 'near');
    expect(await names('lena', 'server', 'group')).toEqual(['near']);
    expect(await names('mia', 'server', 'group')).toEqual([]);
    expect(await names('lena', 'image')).toEqual([]);
    expect(await names('lena', 'server')).toEqual([]);
    expect(await names('lena', 'network')).toEqual([]);
  });

  it('the openstack client finds the bare-metal API in the catalog and works with roles', async () => {
    const names = async (user: string) =>
      JSON.parse(await openstack(user, 'baremetal', 'node', 'list', '-f', 'json')).map(
        (node: { Name: string }) => node.Name,
      );
    expect(await names('sysadmin')).toEqual(['theirs', 'free']);
    expect(await names('lena')).toEqual(['theirs']);
    await openstack('olga', 'baremetal', 'node', 'set', 'theirs', '--property', 'cpu_arch=x86_64');
    await expect(
      openstack('lena', 'baremetal', 'node', 'set', 'theirs', '--property', 'a=b'),
    ).rejects.toMatchObject({
      stderr: expect.stringContaining('Access was denied by the policy baremetal:node:update:properties'),
    });
    await expect(openstack('sam', 'baremetal', 'node', 'show', 'theirs')).rejects.toMatchObject({
      stderr: expect.stringContaining('Node theirs could not be found'),
    });
  });
});
