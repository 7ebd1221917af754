/**
 * Servers on fake hardware, from the request to the node and back.
 */
import { describe, expect, it } from 'vitest';
import { asking, serverRequest, startComputeRig } from './fakes/compute/servers-rig.ts';

describe('a server', () => {
  it('is built on a node and gives it back when deleted', async () => {
    await using rig = await startComputeRig();
    const [nodeUuid] = await rig.addNodes(1);
    const [created] = await rig.instances.create(serverRequest());
    expect(created).toMatchObject({ vmState: 'building', taskState: 'scheduling', nodeUuid: null });

    const active = await rig.reach(created!.uuid, 'active');
    expect(active).toMatchObject({
      nodeUuid,
      host: 'test-conductor',
      powerState: 1,
      fault: null,
      adminPass: null,
    });
    expect(active.launchedAt).not.toBeNull();
    const node = await rig.engine.find(nodeUuid!);
    expect(node).toMatchObject({ provisionState: 'active', instanceUuid: active.uuid });
    expect(node.instanceInfo).toMatchObject({ display_name: 'web', root_gb: '10', local_gb: '100' });

    await rig.instances.delete(active, asking);
    const gone = await rig.reach(active.uuid, 'deleted');
    expect(gone).toMatchObject({ nodeUuid: null, powerState: 0 });
    expect(gone.terminatedAt).not.toBeNull();
    const free = await rig.engine.reach(nodeUuid!, 'available');
    expect(free).toMatchObject({ instanceUuid: null, instanceInfo: {} });
  });
});
