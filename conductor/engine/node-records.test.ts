import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import { createNodeRecords } from './node-records.ts';

let test: TestEngineParts;
let records: ReturnType<typeof createNodeRecords>;
beforeEach(async () => {
  test = await startTestEngineParts({ settings: { lockQueueMs: 5, conductorGroup: 'rack1' } });
  records = createNodeRecords(test.parts);
});
afterEach(() => test[Symbol.asyncDispose]());

/** Runs `work` while other work has locked the node. */
const whileHeld = (uuid: string, work: () => Promise<void>) =>
  test.parts.locks.hold(uuid, { purpose: 'work', deadlineMs: 60_000, queueMs: 0 }, work);

describe('creating a node', () => {
  const create = (fields = {}) =>
    records.createNode({
      driver: 'fake-hardware',
      interfaces: {},
      fields: { conductorGroup: 'rack1', ...fields },
    });

  it('starts in enroll with the interfaces that its driver prefers', async () => {
    const node = await create({ name: 'a' });
    expect(node).toMatchObject({ name: 'a', provisionState: 'enroll', interfaces: { power: 'fake' } });
  });

  it.each([
    [{ conductorGroup: 'rack2' }, 'no conductor serves the conductor group "rack2"'],
    [{ parentNode: 'n9' }, 'there is no such node'],
    [{ properties: { root_device: 'sda' } }, 'root_device'],
  ])('checks what it is given: %j', async (fields, text) => {
    await expect(create(fields)).rejects.toThrow(text);
  });
});

describe('changing a node', () => {
  it('passes the current node to the change under its lock, and stores what differs', async () => {
    const { uuid } = await test.add({ extra: { a: 1 } });
    const changed = await records.updateNode(uuid, 'test', (node) => ({ extra: { ...node.extra, b: 2 } }));
    expect(changed.extra).toEqual({ a: 1, b: 2 });
    const { updatedAt } = await test.find(uuid);
    test.clock.now = new Date(+test.clock.now + 1_000);
    await records.updateNode(uuid, 'test', () => ({ extra: { a: 1, b: 2 } }));
    expect((await test.find(uuid)).updatedAt).toEqual(updatedAt);
  });

  it('waits for the lock of the node, and fails after a while', async () => {
    const { uuid } = await test.add();
    await whileHeld(uuid, async () => {
      await expect(records.updateNode(uuid, 'test', () => ({ extra: { a: 1 } }))).rejects.toMatchObject({
        code: 'nodeLocked',
      });
      await expect(records.setMaintenance(uuid, { on: true })).rejects.toMatchObject({ code: 'nodeLocked' });
      await expect(records.deleteNode(uuid)).rejects.toMatchObject({ code: 'nodeLocked' });
    });
    expect(await test.find(uuid)).toMatchObject({ extra: {}, maintenance: false, holder: null });
  });

  it('removing the instance deletes the allocation of this node only', async () => {
    for (const uuid of ['a1', 'a2']) {
      const { uuid: node } = await test.add();
      await test.store.allocations.create({ uuid, state: 'active' }, test.clock.now);
      await test.store.nodes.update(node, { instanceUuid: uuid, allocationUuid: uuid }, test.clock.now);
    }
    const freed = await records.updateNode('n1', 'test', () => ({ instanceUuid: null }));
    expect(freed).toMatchObject({ instanceUuid: null, allocationUuid: null });
    expect(await test.store.allocations.find('a1')).toBeUndefined();
    expect((await test.store.allocations.get('a2')).state).toBe('active');
    expect(await test.find('n2')).toMatchObject({ instanceUuid: 'a2', allocationUuid: 'a2' });
  });

  it('refuses an interface that its driver does not have', async () => {
    const { uuid, interfaces } = await test.add();
    const change = () => ({ interfaces: { ...interfaces, power: 'ipmitool' } });
    await expect(records.updateNode(uuid, 'test', change)).rejects.toThrow(
      '"power_interface" must be one of: fake',
    );
  });
});

describe('maintenance', () => {
  it('keeps its reason; reason and fault are removed when it ends', async () => {
    const { uuid } = await test.add();
    await records.setMaintenance(uuid, { on: true, reason: 'fan' });
    expect(await test.find(uuid)).toMatchObject({ maintenance: true, maintenanceReason: 'fan' });
    await test.store.nodes.update(uuid, { fault: 'power failure' }, test.clock.now);
    await records.setMaintenance(uuid, { on: false });
    expect(await test.find(uuid)).toMatchObject({ maintenance: false, maintenanceReason: null, fault: null });
  });
});

describe('deleting a node', () => {
  it('is refused in a state that does not allow it', async () => {
    await test.add({ provisionState: 'active' });
    await test.add();
    await expect(records.deleteNode('n1')).rejects.toMatchObject({ code: 'conflict' });
    await records.deleteNode('n2');
    expect(await test.store.nodes.find('n2')).toBeUndefined();
    expect((await test.find('n1')).holder).toBeNull();
  });
});

it('a deletion that the store refuses is an error, and the node stays', async () => {
  await using other = await startTestEngineParts({
    around: (store) => ({
      ...store,
      nodes: { ...store.nodes, delete: () => Promise.reject(new Error('disk on fire')) },
    }),
  });
  const { uuid } = await other.add();
  await expect(createNodeRecords(other.parts).deleteNode(uuid)).rejects.toThrow('disk on fire');
  expect((await other.find(uuid)).holder).toBeNull();
});
