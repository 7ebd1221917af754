/**
 * Users who have a strong role in a project of their own, or in a namesake of a trusted project, try to administer the
 * compute façade.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeKeystone, type TokenSpec } from '../fakes/keystone.ts';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';

const FLAVOR = { name: 'stolen', ram: 512, vcpus: 1, disk: 1 };

let keystone: Awaited<ReturnType<typeof startFakeKeystone>>;
let conductor: AttackedConductor;
const as = (spec: TokenSpec) => ({ 'x-auth-token': keystone.issue(spec) });
const operator = () => as({ user: 'root', roles: ['admin'], system: true });

beforeAll(async () => {
  keystone = await startFakeKeystone();
  const { authUrl, username, password, project } = keystone.settings;
  conductor = await startAttackedConductor({
    compute: true,
    env: { INGOT_KEYSTONE_PASSWORD: password },
    settings: {
      api: { auth: 'keystone' },
      keystone: { auth_url: authUrl, username, project },
    },
  });
});
afterAll(async () => {
  await conductor?.[Symbol.asyncDispose]();
  await keystone?.[Symbol.asyncDispose]();
});

const FOREIGN: readonly (readonly [string, TokenSpec])[] = [
  ['the admin of a project', { user: 'mallory', roles: ['admin', 'member'], project: 'p-evil' }],
  ['the role service in a project', { user: 'mallory', roles: ['service', 'member'], project: 'p-evil' }],
  [
    'the role service in another domain’s project "service"',
    {
      user: 'mallory',
      roles: ['service', 'admin'],
      project: 'p-evil',
      projectName: 'service',
      projectDomain: 'Evil',
    },
  ],
  [
    'the admin of another domain’s project "admin"',
    { user: 'mallory', roles: ['admin'], project: 'p-evil', projectName: 'admin', projectDomain: 'Evil' },
  ],
  ['an admin without a scope', { user: 'mallory', roles: ['admin'] }],
];

describe.each(FOREIGN)('%s', (_, spec) => {
  it('changes nothing that belongs to the operator, and sees nothing of other projects', async () => {
    const headers = as(spec);
    const calls = [
      ['POST', '/compute/v2.1/flavors', { flavor: FLAVOR }],
      ['GET', '/compute/v2.1/os-hypervisors', undefined],
      ['POST', '/compute/v2.1/os-aggregates', { aggregate: { name: 'stolen' } }],
      ['POST', '/network/v2.0/networks', { network: { name: 'stolen' } }],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await conductor.facade(method, path, { headers, ...(body && { body }) });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    const all = await conductor.facade('GET', '/compute/v2.1/servers?all_tenants=1', { headers });
    expect([403, 400, 200]).toContain(all.status);
    if (all.status === 200) expect(all.body.servers).toEqual([]);
    const flavors = await conductor.facade('GET', '/compute/v2.1/flavors', { headers: operator() });
    expect(flavors.body.flavors).toEqual([]);
  });
});

it('a project’s admin does not see or delete the private image of another project', async () => {
  const owner = as({ user: 'olga', roles: ['member'], project: 'p-acme' });
  const made = await conductor.facade('POST', '/image/v2/images', {
    headers: owner,
    body: { name: 'private', visibility: 'private' },
  });
  expect(made.status).toBe(201);
  const headers = as({ user: 'mallory', roles: ['admin'], project: 'p-evil' });
  const path = `/image/v2/images/${made.body.id}`;
  expect((await conductor.facade('GET', path, { headers })).status).toBe(404);
  expect((await conductor.facade('DELETE', path, { headers })).status).toBe(404);
  expect((await conductor.facade('GET', path, { headers: owner })).status).toBe(200);
});

it('the operator and the service user of Nova administer it', async () => {
  const nova = as({ user: 'nova', roles: ['service'], project: 'p-svc', projectName: 'service' });
  for (const headers of [operator(), nova]) {
    expect((await conductor.facade('GET', '/compute/v2.1/os-hypervisors', { headers })).status).toBe(200);
  }
});
