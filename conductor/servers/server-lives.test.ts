/**
 * Random lives of servers: verbs in any order, failing drivers, conductors that stop at any point. A machine always
 * has at most one server, a server at most one machine, and in the end everything can be given back.
 */
import { IngotError } from '@ingot/conductor/domain/errors.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { describe, expect, it } from 'vitest';
import { type DriverVerb, fakeComputeDriver } from '../../test/fakes/compute/compute-driver.ts';
import { fakeServerNetworks } from '../../test/fakes/compute/server-networks.ts';
import {
  asking,
  IMAGE_UUID,
  serverRequest,
  startTestInstances,
  type TestInstances,
} from '../../test/fakes/compute/test-compute.ts';
import { fc, runs, SEED } from '../../test/random-cases.ts';
import type { Server } from '../domain/compute.ts';
import { listAll } from '../domain/store/page.ts';

const MACHINES = ['node-0', 'node-1', 'node-2'];
const VERBS = ['delete', 'stop', 'start', 'reboot', 'rebuild', 'rescue', 'unrescue', 'lock'] as const;
const FAILING: readonly DriverVerb[] = [
  'claim',
  'spawn',
  'destroy',
  'reboot',
  'powerOff',
  'rebuild',
  'rescue',
];

type Act =
  | { readonly do: 'create'; readonly count: number }
  | { readonly do: (typeof VERBS)[number]; readonly server: number }
  | { readonly do: 'settle' }
  | { readonly do: 'restart' }
  | { readonly do: 'break'; readonly verbs: readonly DriverVerb[]; readonly node: string };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('create' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom(...VERBS), server: fc.nat({ max: 5 }) }) },
  { weight: 3, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('break' as const),
      verbs: fc.subarray([...FAILING]),
      node: fc.constantFrom(...MACHINES),
    }),
  },
);

async function ask(test: TestInstances, server: Server, verb: (typeof VERBS)[number]): Promise<unknown> {
  const { instances } = test;
  switch (verb) {
    case 'reboot':
      return instances.reboot(server, server.launchIndex === 0 ? 'SOFT' : 'HARD', asking);
    case 'rebuild':
      return instances.rebuild(server, { imageUuid: IMAGE_UUID, adminPass: 'x' }, asking);
    case 'rescue':
      return instances.rescue(server, { adminPass: 'x', imageUuid: null }, asking);
    case 'lock':
      return instances.lock(server, null, asking);
    default:
      return instances[verb](server, asking);
  }
}

async function live(acts: readonly Act[]): Promise<void> {
  const store = await openStore({ path: ':memory:' });
  const driver = fakeComputeDriver(MACHINES.map((nodename) => ({ nodename })));
  const networks = fakeServerNetworks();
  const start = () => startTestInstances({ store, driver, networks });
  let test = await start();
  const servers: Server[] = [];
  const settled = () => Promise.all(servers.map(({ uuid }) => test.settled(uuid)));
  const broken = new Map<string, readonly DriverVerb[]>();
  driver.fail = (verb, node) => (broken.get(node)?.includes(verb) ? `${node} fails ${verb}` : undefined);
  try {
    for (const one of acts) {
      if (one.do === 'create')
        servers.push(...(await test.instances.create(serverRequest({ maxCount: one.count }))));
      else if (one.do === 'settle') await settled();
      else if (one.do === 'restart') {
        await test.instances.close();
        test = await start();
      } else if (one.do === 'break') broken.set(one.node, one.verbs);
      else {
        const server = servers[one.server];
        if (server === undefined) continue;
        await ask(test, server, one.do).catch((error: unknown) => {
          if (!(error instanceof IngotError && error.status < 500)) throw error;
        });
      }
      expect(new Set(driver.placed.values()).size).toBe(driver.placed.size);
    }
    for (const server of await settled()) {
      const { uuid, vmState, nodeUuid, fault } = server;
      expect(driver.placed.get(uuid) ?? null).toBe(nodeUuid);
      if (vmState === 'error') expect(fault).not.toBeNull();
      else expect(vmState).not.toBe('building');
      if (['active', 'stopped', 'rescued'].includes(vmState)) expect(networks.bound.get(uuid)).toBe(nodeUuid);
    }
    broken.clear();
    const admin = { ...asking, tenant: { ...asking.tenant, isAdmin: true } };
    for (const server of await settled()) {
      if (server.vmState !== 'deleted') await test.instances.delete(server, admin);
    }
    for (const { vmState } of await settled()) expect(vmState).toBe('deleted');
    expect([driver.placed.size, networks.allocated.size, networks.bound.size]).toEqual([0, 0, 0]);
    const actions = await listAll(store.compute.instanceActions, {});
    expect(actions.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  } finally {
    await test.instances.close();
    await store.close();
  }
}

describe('lives of servers', () => {
  const numRuns = runs(6);
  it(`end without errors (TEST_SEED=${SEED})`, { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 25 }), live), {
      numRuns,
    });
  });
});
