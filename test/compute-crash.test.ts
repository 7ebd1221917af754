/**
 * The conductor is killed at each write while a server is built or deleted. The next conductor continues, and in the
 * end there is a running server, or one in error whose node is free and clean.
 */
import type { Server } from '@ingot/conductor/domain/compute.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { describe, expect, it } from 'vitest';
import { asking, serverRequest, startTestCompute, type TestCompute } from './fakes/compute/test-compute.ts';
import { failingStore } from './fakes/failing-store.ts';

const NEWEST = { limit: 1, sortKey: 'id', sortDir: 'desc' } as const;
/** More than the number of writes of any of these works. */
const MOST_WRITES = 200;
const LIMIT_MS = 60_000;

interface Work {
  readonly start: (test: TestCompute) => Promise<unknown>;
  /** Progress in which the server is killed at least once. */
  readonly killedAt: readonly string[];
  /** Allowed states of the server when the next conductor has finished. */
  readonly ends: readonly Server['vmState'][];
}

interface Life {
  readonly name: string;
  readonly driverInfo: JsonObject;
  /** They run one after the other; the conductor is killed in each. */
  readonly works: readonly Work[];
}

const newest = async (store: Store): Promise<Server | undefined> =>
  (await store.compute.servers.list({}, NEWEST))[0];
const build = (test: TestCompute) => test.instances.create(serverRequest());
const remove = async (test: TestCompute) => test.instances.delete((await newest(test.store))!, asking);

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
        start: async (test) => {
          await build(test);
          await remove(test);
        },
        killedAt: ['building/scheduling', 'building/deleting'],
        ends: ['deleted', 'active'],
      },
    ],
  },
];

/** Starts the work and kills the conductor after this many writes. Returns false when the work ended before. */
async function killedAfter(
  writes: number,
  inner: Store,
  nodeUuid: string,
  { start }: Work,
): Promise<boolean> {
  const failing = failingStore(inner);
  await using test = await startTestCompute({ store: failing.store });
  failing.failAfter(writes);
  const finished = start(test).then(async () => {
    await test.settled((await newest(inner))!.uuid);
    await test.engine.rest(nodeUuid);
    return false;
  });
  return await Promise.race([finished, failing.failed.then(() => true)]).catch(() => true);
}

/** The server after recovery by the next conductor. Undefined when the work had not begun. */
async function recovered(
  test: TestCompute,
  nodeUuid: string,
  { ends }: Work,
  how: string,
): Promise<Server | undefined> {
  const found = await newest(test.store);
  if (found === undefined) return undefined;
  const server = await test.settled(found.uuid);
  const node = await test.engine.rest(nodeUuid);
  const context = `${how}: ${server.fault?.message}`;
  expect(ends, context).toContain(server.vmState);
  const expected =
    server.vmState === 'active'
      ? { provisionState: 'active', instanceUuid: server.uuid }
      : { provisionState: 'available', instanceUuid: null, instanceInfo: {} };
  expect(node, context).toMatchObject(expected);
  if (server.vmState === 'error') expect(server.fault?.message, context).toMatch(/fake hardware fails/);
  const actions = await test.store.compute.instanceActions.list(
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
      await using calm = await startTestCompute({ store: inner });
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
        await using next = await startTestCompute({ store: inner });
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
