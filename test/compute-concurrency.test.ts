/**
 * Many requests at once: no machine is used twice, no group policy is violated, and every failed server has a reason.
 */
import { randomUUID } from 'node:crypto';
import type { Server, ServerGroup } from '@ingot/conductor/domain/compute.ts';
import { listAll } from '@ingot/conductor/domain/store/page.ts';
import { describe, expect, it } from 'vitest';
import { serverRequest, startTestCompute, type TestCompute } from './fakes/compute/test-compute.ts';

async function outcomes(test: TestCompute): Promise<Map<Server['vmState'], Server[]>> {
  for (;;) {
    const servers = await listAll(test.store.compute.servers, {});
    const busy = servers.find(({ taskState }) => taskState !== null);
    if (busy === undefined) return Map.groupBy(servers, ({ vmState }) => vmState);
    await test.settled(busy.uuid);
  }
}

describe('requests at once', () => {
  it('200 requests for 100 nodes: exactly 100 servers, and the others have a reason', {
    timeout: 30_000,
  }, async () => {
    await using test = await startTestCompute();
    await test.addNodes(100);
    await Promise.all(
      Array.from({ length: 200 }, (_, nth) => test.instances.create(serverRequest({ name: `s${nth}` }))),
    );
    const { active = [], error = [], ...others } = Object.fromEntries(await outcomes(test));
    expect([active.length, error.length, Object.keys(others)]).toEqual([100, 100, []]);

    const nodes = await listAll(test.store.nodes, {});
    expect(new Set(active.map(({ nodeUuid }) => nodeUuid)).size).toBe(100);
    for (const { uuid, nodeUuid } of active) {
      expect(nodes.find((node) => node.uuid === nodeUuid)).toMatchObject({
        instanceUuid: uuid,
        provisionState: 'active',
      });
    }
    for (const { fault } of error) {
      expect(fault).toMatchObject({ code: 500 });
      expect(fault!.message).toMatch(
        /^No valid host was found\. .*Inventory removed most, 100\. Nearest miss: /,
      );
    }
    expect(test.networks.allocated).toEqual(new Set(active.map(({ uuid }) => uuid)));
    expect(await listAll(test.store.compute.schedulingReports, {})).toHaveLength(200);
  });

  it.each([
    { policy: 'anti-affinity', perRack: [1, 1, 1, 1], active: 4 },
    { policy: 'affinity', perRack: [3], active: 3 },
  ] as const)(
    'the group policy $policy is kept',
    { timeout: 30_000 },
    async ({ policy, perRack, active }) => {
      await using test = await startTestCompute({ domainCapability: 'rack' });
      const nodes = await test.addNodes(12, (nth) => ({ properties: { capabilities: `rack:r${nth % 4}` } }));
      const group = await addGroup(test, policy);
      const request = serverRequest({ serverGroupUuid: group.uuid });
      await Promise.all(Array.from({ length: 8 }, () => test.instances.create(request)));

      const ended = await outcomes(test);
      const racks = Map.groupBy(ended.get('active') ?? [], ({ nodeUuid }) => nodes.indexOf(nodeUuid!) % 4);
      expect([...racks.values()].map((servers) => servers.length)).toEqual(perRack);
      expect(ended.get('active')).toHaveLength(active);
      const reasons = ended.get('error')?.map(({ fault }) => fault?.message) ?? [];
      expect(reasons).toHaveLength(8 - active);
      for (const reason of reasons) expect(reason).toMatch(/ServerGroup(Anti)?AffinityFilter/);
    },
  );
});

function addGroup(test: TestCompute, policy: ServerGroup['policy']): Promise<ServerGroup> {
  const group = { projectId: 'p1', userId: 'u1', name: policy, policy, maxServerPerHost: 1 };
  return test.store.compute.serverGroups.create({ uuid: randomUUID(), ...group }, new Date());
}
