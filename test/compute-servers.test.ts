/**
 * Servers on fake hardware, from the request to the node and back.
 */
import type { Server } from '@ingot/conductor/domain/compute.ts';
import { describe, expect, it } from 'vitest';
import {
  asking,
  flavor,
  IMAGE_UUID,
  serverRequest,
  startTestCompute,
  type TestCompute,
} from './fakes/compute/test-compute.ts';

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

async function serverOn(test: TestCompute): Promise<Server> {
  const [server] = await test.instances.create(serverRequest());
  return test.reach(server!.uuid, 'active');
}

describe('a server', () => {
  it('is built on a node and gives it back when deleted', async () => {
    await using test = await startTestCompute();
    const [nodeUuid] = await test.addNodes(1);
    const extraSpecs = { 'capabilities:boot_mode': 'uefi', 'trait:CUSTOM_FAST': 'required', hw: '1' };
    await test.engine.engine.updateNode(nodeUuid!, 'test', () => ({
      traits: ['CUSTOM_FAST'],
      properties: { cpus: 8, memory_mb: 16_384, local_gb: 100, capabilities: 'boot_mode:uefi,hw:1' },
    }));
    const request = serverRequest({
      flavor: { ...flavor, extraSpecs },
      ...KEY,
      metadata: { a: 'b' },
    });
    const [created] = await test.instances.create(request);
    expect(created).toMatchObject({ vmState: 'building', taskState: 'scheduling', nodeUuid: null });

    const active = await test.reach(created!.uuid, 'active');
    const launched = { nodeUuid, host: 'test-conductor', powerState: 1, fault: null, adminPass: null };
    expect(active).toMatchObject(launched);
    expect(active.launchedAt).not.toBeNull();
    const node = await test.engine.find(nodeUuid!);
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
          public_keys: { mine: KEY.publicKey },
        },
      },
    });

    await test.instances.delete(active, asking);
    const gone = await test.reach(active.uuid, 'deleted');
    expect(gone).toMatchObject({ nodeUuid: null, powerState: 0 });
    expect(gone.terminatedAt).not.toBeNull();
    const free = await test.engine.reach(nodeUuid!, 'available');
    expect(free).toMatchObject({ instanceUuid: null, instanceInfo: {} });
  });

  it('has power, is rebuilt and rescued', async () => {
    await using test = await startTestCompute();
    await test.addNodes(1, () => ({ driverInfo: { fake_wait: { 'rescue.rescue': 0.002 } } }));
    const server = await serverOn(test);
    const { uuid } = server;
    const node = () => test.engine.find(server.nodeUuid!);
    await test.instances.stop(server, asking);
    await test.reach(uuid, 'stopped');
    expect(await node()).toMatchObject({ powerState: 'power off', provisionState: 'active' });
    await test.instances.start(server, asking);
    await test.reach(uuid, 'active');
    for (const type of ['SOFT', 'HARD'] as const) {
      await test.instances.reboot(server, type, asking);
      await test.reach(uuid, 'active');
    }
    expect(await node()).toMatchObject({ powerState: 'power on', lastError: null });

    const rebuild = { imageUuid: IMAGE_UUID, adminPass: 'new-word', name: 'db' };
    await test.instances.rebuild(server, rebuild, asking);
    await test.reach(uuid, 'active');
    expect((await node()).instanceInfo).toMatchObject({
      display_name: 'db',
      configdrive: { meta_data: { name: 'db', admin_pass: 'new-word' } },
    });
    await test.instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    await test.reach(uuid, 'rescued');
    expect(await node()).toMatchObject({ provisionState: 'rescue' });
    await test.instances.unrescue(server, asking);
    await test.reach(uuid, 'active');
    expect(await node()).toMatchObject({ provisionState: 'active' });

    const log = await test.instances.consoleOutput(server, 2);
    expect(log.split('\n')).toEqual([
      expect.stringMatching(/Z {2}power on$/),
      expect.stringMatching(/Z {2}power on$/),
    ]);
    await expect(test.instances.console(server)).rejects.toMatchObject({ code: 'unsupported' });
    await expect(test.instances.triggerCrashDump(server, asking)).rejects.toMatchObject({
      code: 'unsupported',
    });
    const image = { adminPass: 'word', imageUuid: IMAGE_UUID };
    await expect(test.instances.rescue(server, image, asking)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('has the error of its node when power or rescue fails', async () => {
    await using test = await startTestCompute();
    await test.addNodes(1);
    const server = await serverOn(test);
    const failing = (fake_fail: string[]) =>
      test.engine.engine.updateNode(server.nodeUuid!, 'test', () => ({ driverInfo: { fake_fail } }));
    await failing(['power.set_power_state']);
    await test.instances.reboot(server, 'SOFT', asking);
    expect((await test.reach(server.uuid, 'active')).fault?.message).toMatch(
      /to 'rebooting'.*fake hardware fails/,
    );
    await failing(['rescue']);
    await test.instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    expect((await test.reach(server.uuid, 'error')).fault?.message).toMatch(
      /rescue step rescue\.rescue failed/,
    );
    await failing([]);
    await test.instances.rescue(server, { adminPass: 'word', imageUuid: null }, asking);
    expect(await test.reach(server.uuid, 'rescued')).toMatchObject({ fault: null });
    await test.instances.delete(server, asking);
    await test.reach(server.uuid, 'deleted');
  });

  it('is built on the next node when a deployment fails, and the failed node is cleaned', async () => {
    await using test = await startTestCompute();
    const [bad, good] = await test.addNodes(2, (nth) =>
      nth === 0 ? { driverInfo: { fake_fail: ['deploy.deploy'] } } : {},
    );
    const server = await serverOn(test);
    expect(server).toMatchObject({ nodeUuid: good, tried: [{ host: 'test-conductor', nodename: bad }] });
    expect(await test.engine.reach(bad!, 'available')).toMatchObject({
      instanceUuid: null,
      instanceInfo: {},
    });
    const [{ events } = { events: [] }] = await test.store.compute.instanceActions.list(
      { serverUuid: server.uuid },
      ONE,
    );
    expect(events.map(({ result }) => result)).toEqual(['Error', 'Success']);
    expect(events[0]?.details).toMatch(/deploy step deploy\.deploy failed: fake hardware fails/);
  });

  it('can be deleted during its deployment', async () => {
    await using test = await startTestCompute();
    const [nodeUuid] = await test.addNodes(1, () => ({ driverInfo: { fake_wait: { 'deploy.deploy': 60 } } }));
    const [server] = await test.instances.create(serverRequest());
    await test.engine.reach(nodeUuid!, 'wait call-back');
    await test.instances.delete(server!, asking);
    await test.reach(server!.uuid, 'deleted');
    expect(await test.engine.reach(nodeUuid!, 'available')).toMatchObject({ instanceUuid: null });
  });

  it('goes into error when its node is removed during the build', async () => {
    await using test = await startTestCompute();
    const [nodeUuid] = await test.addNodes(1, () => ({ driverInfo: { fake_wait: { 'deploy.deploy': 60 } } }));
    const [server] = await test.instances.create(serverRequest());
    await test.engine.go((await test.engine.reach(nodeUuid!, 'wait call-back')).uuid, 'deleted', 'available');
    const { fault } = await test.reach(server!.uuid, 'error');
    expect(fault?.message).toMatch(/The attempt before failed: Node .*(was taken away|is deleting)/);
  });

  it('does not get a node that is locked, in maintenance, or has another instance', async () => {
    await using test = await startTestCompute();
    const [one, other] = await test.addNodes(2);
    const first = await serverOn(test);
    expect(await test.driver.claim({ ...first, uuid: 'other' }, one!)).toBe(false);
    await test.engine.engine.setMaintenance(other!, { on: true });
    expect(await test.driver.claim({ ...first, uuid: 'other' }, other!)).toBe(false);
    await test.engine.engine.setMaintenance(other!, { on: false });
    const held = await test.store.nodes.hold(other!, {
      owner: 'another-conductor',
      purpose: 'test',
      since: new Date(),
      deadline: new Date(Date.now() + 60_000),
    });
    expect([held, await test.driver.claim({ ...first, uuid: 'other' }, other!)]).toEqual([true, false]);
    await test.store.nodes.release(other!, 'another-conductor');
    expect(await test.driver.claim({ ...first, uuid: 'other' }, other!)).toBe(true);
    // The server was never on this node.
    await test.driver.destroy({ ...first, uuid: 'other' }, new AbortController().signal);
    expect(await test.engine.find(other!)).toMatchObject({ provisionState: 'available', instanceUuid: null });
    const usable = (await test.driver.resources()).filter(({ unusable }) => unusable === undefined);
    expect(usable.map(({ nodename }) => nodename)).toEqual([other]);
  });
});

const KEY = { keyName: 'mine', publicKey: 'ssh-ed25519 AAAA me' };
