/**
 * The conductor killed at each thing it stores while a server is built or deleted: the next one goes on, and in the
 * end there is a live server, or one in error whose node is free and clean.
 */
import type { Server } from '@ingot/conductor/domain/compute.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { describe, expect, it } from 'vitest';
import { asking, type ComputeRig, serverRequest, startComputeRig } from './fakes/compute/servers-rig.ts';
import { failingStore } from './fakes/failing-store.ts';

const NEWEST = { limit: 1, sortKey: 'id', sortDir: 'desc' } as const;
/** More than any of these works writes. */
const MOST_WRITES = 200;
const LIMIT_MS = 60_000;

interface Work {
  readonly start: (rig: ComputeRig) => Promise<unknown>;
  /** Where the end found the server, among others. */
  readonly killedAt: readonly string[];
  /** What the server may be when the next conductor is done. */
  readonly ends: readonly Server['vmState'][];
}

interface Life {
  readonly name: string;
  readonly driverInfo: JsonObject;
  /** One after the other, the conductor being killed in each. */
  readonly works: readonly Work[];
}

const newest = async (store: Store): Promise<Server | undefined> =>
  (await store.compute.servers.list({}, NEWEST))[0];
const build = (rig: ComputeRig) => rig.instances.create(serverRequest());
const remove = async (rig: ComputeRig) => rig.instances.delete((await newest(rig.store))!, asking);

const TASKS = ['scheduling', 'networking', 'block_device_mapping', 'spawning'];
const BUILDING = TASKS.map((task) => `building/${task}`);

const LIVES: readonly Life[] = [
  {
    name: 'a build, and a delete',
    driverInfo: {},
    works: [
      { start: build, killedAt: BUILDING, ends: ['active'] },
      { start: remove, killedAt: ['active/deleting'], ends: ['deleted'] },
    ],
  },
  {
    name: 'a build that fails',
    driverInfo: { fake_fail: ['deploy.deploy'] },
    works: [{ start: build, killedAt: [...BUILDING, 'error/null'], ends: ['error'] }],
  },
  {
    name: 'a delete amid a build',
    driverInfo: { fake_wait: { 'deploy.deploy': 0.005 } },
    works: [
      {
        start: async (rig) => {
          await build(rig);
          await remove(rig);
        },
        killedAt: ['building/scheduling', 'building/deleting'],
        ends: ['deleted', 'active'],
      },
    ],
  },
];

/** Starts the work and kills the conductor after so many writes; false when it was done before. */
async function killedAfter(
  writes: number,
  inner: Store,
  nodeUuid: string,
  { start }: Work,
): Promise<boolean> {
  const failing = failingStore(inner);
  await using rig = await startComputeRig({ store: failing.store });
  failing.failAfter(writes);
  const finished = start(rig).then(async () => {
    await rig.settled((await newest(inner))!.uuid);
    await rig.engine.rest(nodeUuid);
    return false;
  });
  return await Promise.race([finished, failing.failed.then(() => true)]).catch(() => true);
}

/** What the next conductor makes of it. Undefined when it had not even begun. */
async function recovered(
  rig: ComputeRig,
  nodeUuid: string,
  { ends }: Work,
  how: string,
): Promise<Server | undefined> {
  const found = await newest(rig.store);
  if (found === undefined) return undefined;
  const server = await rig.settled(found.uuid);
  const node = await rig.engine.rest(nodeUuid);
  const context = `${how}: ${server.fault?.message}`;
  expect(ends, context).toContain(server.vmState);
  const expected =
    server.vmState === 'active'
      ? { provisionState: 'active', instanceUuid: server.uuid }
      : { provisionState: 'available', instanceUuid: null, instanceInfo: {} };
  expect(node, context).toMatchObject(expected);
  if (server.vmState === 'error') expect(server.fault?.message, context).toMatch(/fake hardware fails/);
  const actions = await rig.store.compute.instanceActions.list(
    { serverUuid: server.uuid },
    { ...NEWEST, limit: 9 },
  );
  expect(
    actions.every(({ finishedAt }) => finishedAt !== null),
    context,
  ).toBe(true);
  return server;
}

describe('a conductor killed during', () => {
  it.each(LIVES)('$name', { timeout: LIMIT_MS }, async ({ driverInfo, works }) => {
    const inner = await openStore({ path: ':memory:' });
    const met = works.map(() => new Set<string>());
    let nodeUuid = '';
    {
      await using calm = await startComputeRig({ store: inner });
      [nodeUuid = ''] = await calm.addNodes(1, () => ({ driverInfo }));
    }
    let isKilled = true;
    for (let writes = 1; isKilled; writes++) {
      expect(writes).toBeLessThan(MOST_WRITES);
      isKilled = false;
      let server: Server | undefined;
      for (const [nth, work] of works.entries()) {
        isKilled = (await killedAfter(writes, inner, nodeUuid, work)) || isKilled;
        const left = await newest(inner);
        const where = `${left?.vmState}/${left?.taskState}`;
        met[nth]!.add(where);
        await using next = await startComputeRig({ store: inner });
        server = await recovered(next, nodeUuid, work, `killed after ${writes} writes at ${where}`);
        if (server?.vmState !== 'active' || nth + 1 < works.length) continue;
        await remove(next);
        await next.reach(server.uuid, 'deleted');
        await next.engine.reach(nodeUuid, 'available');
      }
    }
    for (const [nth, { killedAt }] of works.entries()) {
      expect([...met[nth]!]).toEqual(expect.arrayContaining([...killedAt]));
    }
    await inner.close();
  });
});
