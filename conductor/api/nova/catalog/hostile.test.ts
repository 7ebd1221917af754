/**
 * Hostile requests to every route of the catalog: a good body with one changed place, and invalid paths and queries.
 * No answer may be 5xx, and errors must have Nova's form. TEST_RUNS and TEST_SEED as in test/random-cases.ts.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestCloud, member, type TestCloud } from '../../../../test/fakes/compute/cloud.ts';
import { HOSTILE_PARTS, HOSTILE_VALUES, MALFORMED } from '../../../../test/fuzz/hostile-values.ts';
import { changed, placesIn } from '../../../../test/fuzz/mutation.ts';
import { fc, runs, SEED } from '../../../../test/random-cases.ts';
import type { ImageService } from '../../../image-service/image-service.ts';
import { MAX_MINOR } from '../microversions.ts';
import { novaService } from '../nova-service.ts';
import { COLLECTION } from '../path.ts';

const RUNS = runs(15);
const RUN_LIMIT_MS = 30_000 + RUNS * 500;
const V = '/compute/v2.1';

interface Target {
  readonly method: string;
  readonly path: string;
}

/** Routes with a body, and valid bodies; the other routes are found by their options. */
const BODIES: readonly (readonly [method: string, path: string, bodies: readonly object[]])[] = [
  [
    'POST',
    '/flavors',
    [
      {
        flavor: {
          name: 'x',
          id: 'x',
          ram: 1,
          vcpus: '1',
          disk: 1,
          swap: 0,
          rxtx_factor: 1,
          description: 'x',
        },
      },
    ],
  ],
  ['PUT', '/flavors/bm', [{ flavor: { description: 'x' } }]],
  [
    'POST',
    '/flavors/bm/action',
    [{ addTenantAccess: { tenant: 'x' } }, { removeTenantAccess: { tenant: 'x' } }],
  ],
  [
    'POST',
    '/flavors/bm/os-extra_specs',
    [{ extra_specs: { 'resources:A': 1, 'trait:B': 'required', c: '>= 2' } }],
  ],
  ['PUT', '/flavors/bm/os-extra_specs/a', [{ a: '1' }]],
  [
    'POST',
    '/os-keypairs',
    [{ keypair: { name: 'x', type: 'ssh', public_key: 'ssh-ed25519 AAAA', user_id: 'u' } }],
  ],
  [
    'POST',
    '/os-server-groups',
    [
      { server_group: { name: 'x', policies: ['affinity'] } },
      { server_group: { name: 'x', policy: 'anti-affinity', rules: { max_server_per_host: 1 } } },
    ],
  ],
  ['POST', '/os-aggregates', [{ aggregate: { name: 'x', availability_zone: 'z' } }]],
  ['PUT', '/os-aggregates/1', [{ aggregate: { name: 'x', availability_zone: 'z' } }]],
  [
    'POST',
    '/os-aggregates/1/action',
    [
      { add_host: { host: 'x' } },
      { remove_host: { host: 'x' } },
      { set_metadata: { metadata: { a: 'b', availability_zone: 'z' } } },
    ],
  ],
  [
    'PUT',
    '/os-services/disable',
    [{ host: 'h', binary: 'nova-compute', disabled_reason: 'x', forced_down: true }],
  ],
  ['PUT', '/os-services/11111111-1111-4111-8111-111111111111', [{ status: 'disabled', forced_down: 'no' }]],
];
const QUERIES = [
  'limit',
  'marker',
  'sort_key',
  'minRam',
  'is_public',
  'user_id',
  'offset',
  'tenant_id',
  'start',
];
const MORE_QUERIES = [
  'end',
  'with_servers',
  'hypervisor_hostname_pattern',
  'host',
  'binary',
  'request_id',
  'server_id',
];

const targets: Target[] = [];
let cloud: TestCloud;
beforeAll(async () => {
  const service = {
    ...novaService,
    register(...[app, deps]: Parameters<typeof novaService.register>) {
      app.addHook('onRoute', ({ method, url }) => {
        const path = url.slice(V.length);
        const isOurs = url.startsWith(`${V}/`) && !/^\/($|servers)/.test(path);
        if (isOurs && !path.startsWith('/scheduler/explain')) targets.push({ method: String(method), path });
      });
      novaService.register(app, deps);
    },
  };
  const noImages = { find: async () => undefined, all: async () => [] } as Partial<ImageService>;
  cloud = await createTestCloud([service], { images: noImages as ImageService });
  const { compute } = cloud.store;
  const now = new Date();
  const flavor = { name: 'bm', ram: 1, vcpus: 1, disk: 1, id: 'bm' };
  await cloud.call('POST', `${V}/flavors`, { flavor });
  await cloud.call('POST', `${V}/os-aggregates`, { aggregate: { name: 'one' } });
  const service1 = { uuid: '11111111-1111-4111-8111-111111111111', binary: 'nova-compute' } as const;
  await compute.computeServices.create({ ...service1, host: 'h', forcedDown: false, reportedAt: now }, now);
});
afterAll(() => cloud.close());

async function send(
  method: string,
  path: string,
  body: unknown,
  minor: number,
  isAdmin: boolean,
): Promise<void> {
  const as = isAdmin ? {} : { as: member('red') };
  const { status, body: answer } = await cloud.call(method, V + path, body, { minor, ...as });
  const request = `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)} at 2.${minor}`;
  if (status >= 500 && status !== 501) throw new Error(`${request} is ${status} ${JSON.stringify(answer)}`);
  if (status < 400) return;
  const [fault] = Object.values(
    answer as Record<string, { readonly code: number; readonly message: string }>,
  );
  expect([request, fault?.code, typeof fault?.message]).toEqual([request, status, 'string']);
}

const minors = fc.integer({ min: 1, max: MAX_MINOR });

describe(`hostile requests, seed ${SEED}`, () => {
  it('cover every route of the catalog, and no route begins like a project', () => {
    expect(targets.length).toBeGreaterThan(40);
    for (const { path } of targets) expect(path.split('/')[1]).toMatch(COLLECTION);
  });

  it.each(BODIES)(
    '%s %s, one place of the body changed',
    async (method, path, bodies) => {
      const places = bodies.flatMap((body) => placesIn(body).map((place) => ({ body, place })));
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...places),
          fc.constantFrom('replace', 'remove', 'add'),
          fc.constantFrom(...HOSTILE_VALUES),
          fc.constantFrom('x', '', 'constructor', 'a/b'),
          minors,
          async ({ body, place }, how, value, name, minor) =>
            send(method, path, changed(body, place, how, value, name), minor, true),
        ),
        { numRuns: RUNS },
      );
      for (const malformed of MALFORMED) await send(method, path, malformed, MAX_MINOR, true);
    },
    RUN_LIMIT_MS,
  );

  it(
    'to invalid paths and queries',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.constantFrom(...HOSTILE_PARTS),
          fc.constantFrom(...QUERIES, ...MORE_QUERIES),
          fc.constantFrom(...HOSTILE_PARTS),
          minors,
          fc.boolean(),
          async (nth, part, argument, value, minor, isAdmin) => {
            const { method, path } = targets[nth % targets.length]!;
            const url = path.replaceAll(/:\w+/g, part);
            await send(method, `${url}?${argument}=${value}`, undefined, minor, isAdmin);
          },
        ),
        { numRuns: RUNS * 8 },
      );
    },
    RUN_LIMIT_MS,
  );
});
