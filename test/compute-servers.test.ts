/**
 * Servers on fake hardware, from the request to the node and back.
 */
import type { Server } from '@ingot/conductor/domain/compute.ts';
import { describe, expect, it } from 'vitest';
import {
  asking,
  type ComputeRig,
  flavor,
  IMAGE_UUID,
  serverRequest,
  startComputeRig,
} from './fakes/compute/servers-rig.ts';

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

async function serverOn(rig: ComputeRig): Promise<Server> {
  const [server] = await rig.instances.create(serverRequest());
  return rig.reach(server!.uuid, 'active');
}

describe('a server', () => {
  it('is built on a node and gives it back when deleted', async () => {
    await using rig = await startComputeRig();
    const [nodeUuid] = await rig.addNodes(1);
    const extraSpecs = { 'capabilities:boot_mode': 'uefi', 'trait:CUSTOM_FAST': 'required', hw: '1' };
    await rig.engine.engine.updateNode(nodeUuid!, 'test', () => ({
      traits: ['CUSTOM_FAST'],
      properties: { cpus: 8, memory_mb: 16_384, local_gb: 100, capabilities: 'boot_mode:uefi,hw:1' },
    }));
    const request = serverRequest({
      flavor: { ...flavor, extraSpecs },
      keypair: KEYPAIR,
      metadata: { a: 'b' },
    });
    const [created] = await rig.instances.create(request);
    expect(created).toMatchObject({ vmState: 'building', taskState: 'scheduling', nodeUuid: null });

    const active = await rig.reach(created!.uuid, 'active');
    const launched = { nodeUuid, host: 'test-conductor', powerState: 1, fault: null, adminPass: null };
    expect(active).toMatchObject(launched);
    expect(active.launchedAt).not.toBeNull();
    const node = await rig.engine.find(nodeUuid!);
    expect(node).toMatchObject({ provisionState: 'active', instanceUuid: active.uuid });
    expect(node.instanceInfo).toMatchObject({
      image_source: `http://127.0.0.1:9292/v2/images/${IMAGE_UUID}/file`,
      display_name: 'web',
      vcpus: '1',
      memory_mb: '1024',
      root_gb: '10',
      swap_mb: '0',
      local_gb: '100',
      flavor_name: 'bm1',
      nova_host_id: 'test-conductor',
      capabilities: '{"boot_mode":"uefi"}',
      traits: ['CUSTOM_FAST'],
      configdrive: {
        meta_data: {
          uuid: active.uuid,
          hostname: 'web',
          availability_zone: 'nova',
          meta: { a: 'b' },
          admin_pass: 'secret-word',
          public_keys: { mine: KEYPAIR.publicKey },
        },
      },
    });

    await rig.instances.delete(active, asking);
    const gone = await rig.reach(active.uuid, 'deleted');
    expect(gone).toMatchObject({ nodeUuid: null, powerState: 0 });
    expect(gone.terminatedAt).not.toBeNull();
    const free = await rig.engine.reach(nodeUuid!, 'available');
    expect(free).toMatchObject({ instanceUuid: null, instanceInfo: {} });
  });

  it('has power, is rebuilt and rescued', async () => {
    await using rig = await startComputeRig();
    await rig.addNodes(1, () => ({ driverInfo: { fake_wait: { 'rescue.rescue': 0.002 } } }));
    const server = await serverOn(rig);
    const { uuid } = server;
    const node = () => rig.engine.find(server.nodeUuid!);
    await rig.instances.stop(server, asking);
    await rig.reach(uuid, 'stopped');
    expect(await node()).toMatchObject({ powerState: 'power off', provisionState: 'active' });
    await rig.instances.start(server, asking);
    await rig.reach(uuid, 'active');
    for (const type of ['SOFT', 'HARD'] as const) {
      await rig.instances.reboot(server, type, asking);
      await rig.reach(uuid, 'active');
    }
    expect(await node()).toMatchObject({ powerState: 'power on', lastError: null });

    const rebuild = { imageUuid: IMAGE_UUID, adminPass: 'new-word', name: 'db' };
    await rig.instances.rebuild(server, rebuild, asking);
    await rig.reach(uuid, 'active');
    expect((await node()).instanceInfo).toMatchObject({
      display_name: 'db',
      configdrive: { meta_data: { name: 'db', admin_pass: 'new-word' } },
    });
    await rig.instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    await rig.reach(uuid, 'rescued');
    expect(await node()).toMatchObject({ provisionState: 'rescue' });
    await rig.instances.unrescue(server, asking);
    await rig.reach(uuid, 'active');
    expect(await node()).toMatchObject({ provisionState: 'active' });

    const log = await rig.instances.consoleOutput(server, 2);
    expect(log.split('\n')).toEqual([
      expect.stringMatching(/Z {2}power on$/),
      expect.stringMatching(/Z {2}power on$/),
    ]);
    await expect(rig.instances.console(server)).rejects.toMatchObject({ code: 'unsupported' });
    await expect(rig.instances.triggerCrashDump(server, asking)).rejects.toMatchObject({
      code: 'unsupported',
    });
    const image = { adminPass: 'word', imageUuid: IMAGE_UUID };
    await expect(rig.instances.rescue(server, image, asking)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('says what its node said when power or rescue fails', async () => {
    await using rig = await startComputeRig();
    await rig.addNodes(1);
    const server = await serverOn(rig);
    const failing = (fake_fail: string[]) =>
      rig.engine.engine.updateNode(server.nodeUuid!, 'test', () => ({ driverInfo: { fake_fail } }));
    await failing(['power.set_power_state']);
    await rig.instances.reboot(server, 'SOFT', asking);
    expect((await rig.reach(server.uuid, 'active')).fault?.message).toMatch(
      /to 'rebooting'.*fake hardware fails/,
    );
    await failing(['rescue']);
    await rig.instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    expect((await rig.reach(server.uuid, 'error')).fault?.message).toMatch(
      /rescue step rescue\.rescue failed/,
    );
    await failing([]);
    await rig.instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    expect(await rig.reach(server.uuid, 'rescued')).toMatchObject({ fault: null });
    await rig.instances.delete(server, asking);
    await rig.reach(server.uuid, 'deleted');
  });

  it('goes to the next node when one can not be deployed, and that one is cleaned', async () => {
    await using rig = await startComputeRig();
    const [bad, good] = await rig.addNodes(2, (nth) =>
      nth === 0 ? { driverInfo: { fake_fail: ['deploy.deploy'] } } : {},
    );
    const server = await serverOn(rig);
    expect(server).toMatchObject({ nodeUuid: good, tried: [{ host: 'test-conductor', nodename: bad }] });
    expect(await rig.engine.reach(bad!, 'available')).toMatchObject({ instanceUuid: null, instanceInfo: {} });
    const [{ events } = { events: [] }] = await rig.store.compute.instanceActions.list(
      { serverUuid: server.uuid },
      ONE,
    );
    expect(events.map(({ result }) => result)).toEqual(['Error', 'Success']);
    expect(events[0]?.details).toMatch(/deploy step deploy\.deploy failed: fake hardware fails/);
  });

  it('is deleted in the middle of its deployment', async () => {
    await using rig = await startComputeRig();
    const [nodeUuid] = await rig.addNodes(1, () => ({ driverInfo: { fake_wait: { 'deploy.deploy': 60 } } }));
    const [server] = await rig.instances.create(serverRequest());
    await rig.engine.reach(nodeUuid!, 'wait call-back');
    await rig.instances.delete(server!, asking);
    await rig.reach(server!.uuid, 'deleted');
    expect(await rig.engine.reach(nodeUuid!, 'available')).toMatchObject({ instanceUuid: null });
  });

  it('is in error when its node is taken away while it is built', async () => {
    await using rig = await startComputeRig();
    const [nodeUuid] = await rig.addNodes(1, () => ({ driverInfo: { fake_wait: { 'deploy.deploy': 60 } } }));
    const [server] = await rig.instances.create(serverRequest());
    await rig.engine.go((await rig.engine.reach(nodeUuid!, 'wait call-back')).uuid, 'deleted', 'available');
    const { fault } = await rig.reach(server!.uuid, 'error');
    expect(fault?.message).toMatch(/The attempt before failed: Node .*(was taken away|is deleting)/);
  });

  it('does not get a node that is held, in maintenance, or another instance’s', async () => {
    await using rig = await startComputeRig();
    const [one, other] = await rig.addNodes(2);
    const first = await serverOn(rig);
    expect(await rig.driver.claim({ ...first, uuid: 'other' }, one!)).toBe(false);
    await rig.engine.engine.setMaintenance(other!, { on: true });
    expect(await rig.driver.claim({ ...first, uuid: 'other' }, other!)).toBe(false);
    await rig.engine.engine.setMaintenance(other!, { on: false });
    const held = await rig.store.nodes.hold(other!, {
      owner: 'another-conductor',
      purpose: 'test',
      since: new Date(),
      deadline: new Date(Date.now() + 60_000),
    });
    expect([held, await rig.driver.claim({ ...first, uuid: 'other' }, other!)]).toEqual([true, false]);
    await rig.store.nodes.release(other!, 'another-conductor');
    expect(await rig.driver.claim({ ...first, uuid: 'other' }, other!)).toBe(true);
    // nothing was put on it
    await rig.driver.destroy({ ...first, uuid: 'other' }, new AbortController().signal);
    expect(await rig.engine.find(other!)).toMatchObject({ provisionState: 'available', instanceUuid: null });
    const usable = (await rig.driver.resources()).filter(({ unusable }) => unusable === undefined);
    expect(usable.map(({ nodename }) => nodename)).toEqual([other]);
  });
});

const KEYPAIR = {
  id: 1,
  uuid: 'k1',
  createdAt: new Date(0),
  updatedAt: null,
  userId: 'u1',
  name: 'mine',
  type: 'ssh',
  publicKey: 'ssh-ed25519 AAAA me',
  fingerprint: '00',
} as const;
