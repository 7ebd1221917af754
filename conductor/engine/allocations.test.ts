import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { NewNode } from '../domain/node.ts';
import type { Allocation, NewRecord } from '../domain/resources.ts';
import type { Store } from '../domain/store/store.ts';
import { type Allocations, createAllocations } from './allocations.ts';

let test: TestEngineParts;
let allocations: Allocations;
beforeEach(async () => {
  test = await startTestEngineParts({ settings: { lockQueueMs: 5 } });
  allocations = createAllocations(test.parts);
});
afterEach(async () => {
  vi.useRealTimers();
  await allocations.close();
  await test[Symbol.asyncDispose]();
});

const FREE = { provisionState: 'available', resourceClass: 'gold', powerState: 'power off' } as const;
const free = (fields: Partial<NewNode> = {}) => test.add({ ...FREE, ...fields });

/** Requests an allocation and waits until it has its node or its error. */
async function allocate(fields: Partial<NewRecord<Allocation>> = {}): Promise<Allocation> {
  const { uuid } = await allocations.allocate({ uuid: 'a1', resourceClass: 'gold', ...fields });
  return settled(uuid);
}
const settled = (uuid: string) =>
  vi.waitFor(
    async () => {
      const now = await test.store.allocations.get(uuid);
      expect(now.state).not.toBe('allocating');
      return now;
    },
    { timeout: 10_000 },
  );

describe('a new allocation', () => {
  it('gets a free node of its resource class, and both records refer to each other', async () => {
    await test.add({ ...FREE, resourceClass: 'iron' });
    await free({ traits: ['CUSTOM_A', 'CUSTOM_B'], instanceInfo: { kept: true } });
    expect(await allocate({ traits: ['CUSTOM_A'] })).toMatchObject({
      state: 'active',
      nodeUuid: 'n2',
      lastError: null,
    });
    expect(await test.find('n2')).toMatchObject({
      instanceUuid: 'a1',
      allocationUuid: 'a1',
      instanceInfo: { kept: true, traits: ['CUSTOM_A'] },
      holder: null,
    });
    expect((await test.find('n1')).instanceUuid).toBeNull();
  });

  it('reports why no node fits', async () => {
    await free({ maintenance: true });
    await free({ provisionState: 'active', instanceUuid: 'other' });
    expect(await allocate()).toMatchObject({
      state: 'error',
      nodeUuid: null,
      lastError:
        'Failed to process allocation a1: no available nodes match. Of 2 of the resource class gold 1 is in maintenance, 1 is in use.',
    });
  });

  it('two allocations for one node: one gets it', async () => {
    await free();
    await allocations.allocate({ uuid: 'a1', resourceClass: 'gold' });
    await allocations.allocate({ uuid: 'a2', resourceClass: 'gold' });
    const states = [(await settled('a1')).state, (await settled('a2')).state];
    expect(states.sort()).toEqual(['active', 'error']);
  });

  it('tries a locked node again', async () => {
    const { uuid } = await free();
    const work = Promise.withResolvers<void>();
    const hold = { purpose: 'power sync', deadlineMs: 60_000, queueMs: 0 };
    const held = test.parts.locks.hold(uuid, hold, () => work.promise);
    await allocations.allocate({ uuid: 'a1', resourceClass: 'gold' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await test.store.allocations.get('a1')).state).toBe('allocating');
    work.resolve();
    await held;
    await vi.waitFor(
      async () => expect(await test.store.allocations.get('a1')).toMatchObject({ nodeUuid: uuid }),
      {
        timeout: 10_000,
      },
    );
  });

  it('skips a node that was deleted after the nodes were listed', async () => {
    const deletesListed = (store: Store): Store => ({
      ...store,
      nodes: {
        ...store.nodes,
        async list(filter, rows) {
          const listed = await store.nodes.list(filter, rows);
          for (const { uuid } of listed) await store.nodes.delete(uuid);
          return listed;
        },
      },
    });
    await using other = await startTestEngineParts({ around: deletesListed });
    await other.add(FREE);
    const racing = createAllocations(other.parts);
    await racing.allocate({ uuid: 'a1', resourceClass: 'gold' });
    await vi.waitFor(
      async () =>
        expect(await other.store.allocations.get('a1')).toMatchObject({ state: 'error', nodeUuid: null }),
      { timeout: 10_000 },
    );
    await racing.close();
  });

  it('of an earlier conductor is continued', async () => {
    await free();
    await test.store.allocations.create(
      { uuid: 'a1', resourceClass: 'gold', state: 'allocating' },
      test.clock.now,
    );
    await allocations.recover();
    expect(await settled('a1')).toMatchObject({ state: 'active', nodeUuid: 'n1' });
  });
});

describe('an allocation for an existing instance', () => {
  const backfill = (fields: Partial<NewRecord<Allocation>> = {}) =>
    allocations.backfillAllocation({ uuid: 'a1', ...fields }, 'n1');

  it('gets the resource class of its node', async () => {
    await free({ provisionState: 'active', traits: ['CUSTOM_A'] });
    expect(await backfill({ traits: ['CUSTOM_A'] })).toMatchObject({
      state: 'active',
      nodeUuid: 'n1',
      resourceClass: 'gold',
    });
    expect(await test.find('n1')).toMatchObject({ instanceUuid: 'a1', allocationUuid: 'a1' });
  });

  it.each([
    [{}, {}, 'it is available, not active'],
    [{ provisionState: 'active', instanceUuid: 'i1' }, {}, 'its instance_uuid is i1'],
    [{ provisionState: 'active' }, { resourceClass: 'iron' }, 'its resource class is gold'],
    [{ provisionState: 'active' }, { traits: ['CUSTOM_A'] }, 'it lacks the traits CUSTOM_A'],
  ] as const)('must fit its node: %j', async (node, fields, why) => {
    await free(node);
    await expect(backfill(fields as Partial<NewRecord<Allocation>>)).rejects.toThrow(
      `Node n1 can not be given to allocation a1: ${why}`,
    );
    expect(await test.store.allocations.find('a1')).toBeUndefined();
  });
});

describe('deleting an allocation', () => {
  it('frees only its node', async () => {
    await free();
    await free();
    const { uuid, nodeUuid } = await allocate();
    const other = await allocate({ uuid: 'a2' });
    await allocations.deallocate(await test.store.allocations.get(uuid));
    expect(await test.store.allocations.find(uuid)).toBeUndefined();
    expect(await test.find(nodeUuid!)).toMatchObject({
      instanceUuid: null,
      allocationUuid: null,
      instanceInfo: {},
    });
    expect(await test.find(other.nodeUuid!)).toMatchObject({ instanceUuid: 'a2', allocationUuid: 'a2' });
  });

  it('is refused while the node is in use, unless it is in maintenance', async () => {
    await free();
    const { nodeUuid } = await allocate();
    await test.store.nodes.update(nodeUuid!, { provisionState: 'active' }, test.clock.now);
    const allocation = await test.store.allocations.get('a1');
    await expect(allocations.deallocate(allocation)).rejects.toThrow(
      'Allocation a1 is in use: node n1 is active. Undeploy the node first.',
    );
    await test.store.nodes.update(nodeUuid!, { maintenance: true }, test.clock.now);
    await allocations.deallocate(allocation);
    expect((await test.find('n1')).allocationUuid).toBeNull();
  });

  it('without a node only deletes the record', async () => {
    await allocate();
    await allocations.deallocate(await test.store.allocations.get('a1'));
    expect(await test.store.allocations.find('a1')).toBeUndefined();
  });
});
