/**
 * The life of a UEFI machine: first over REST, then as a server by the `openstack` client only. The conductor is killed
 * while the image is being written.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from './client.ts';
import {
  type FirstMachine,
  setUpFirstMachine,
  showOnFailure,
  strayNetworkBoot,
  WAIT_MS,
} from './first-machine.ts';
import type { Timeline } from './operator.ts';

describe('a UEFI machine', () => {
  let first: FirstMachine;
  let node: string;

  beforeAll(async () => {
    first = await setUpFirstMachine('uefi');
    const { driverInfo, machine, conductor } = first;
    node = await conductor.operator.enroll({
      name: 'uefi-server',
      driver: 'ipmi',
      driverInfo,
      mac: machine.mac,
    });
  });
  afterAll(() => first?.lab.stop());
  beforeEach(() => showOnFailure(first));

  async function go(target: string, state: string, more?: Record<string, unknown>): Promise<Timeline> {
    const { operator } = first.conductor;
    await operator.provision(node, target, more);
    return operator.waitForState(node, state, { timeoutMs: WAIT_MS });
  }

  const configDrive = (hostName: string): Record<string, unknown> => ({
    configdrive: {
      meta_data: { hostname: hostName, public_keys: { lab: 'ssh-ed25519 AAAA lab' } },
      user_data: `marker of ${hostName}`,
    },
  });

  it('is enrolled and its BMC answers', async () => {
    await go('manage', 'manageable');
  });

  it('is inspected by the ramdisk', async () => {
    const { operator } = first.conductor;
    await go('inspect', 'manageable');
    const { body } = (await operator.call('GET', `/v1/nodes/${node}`)) as { body: { properties: object } };
    expect(body.properties).toMatchObject({ cpu_arch: 'x86_64', cpus: 2, local_gb: 5 });
    const stored = (await operator.call('GET', `/v1/nodes/${node}/inventory`)) as {
      body: { inventory: { boot: object; disks: { name: string }[] } };
    };
    expect(stored.body.inventory.boot).toEqual({
      current_boot_mode: 'uefi',
      pxe_interface: first.machine.mac,
    });
    expect(stored.body.inventory.disks.map(({ name }) => name)).toEqual(['/dev/vda']);
  });

  it('is cleaned and available', async () => {
    const timeline = await go('provide', 'available');
    const done = timeline.operations[0]?.steps
      .filter(({ state }) => state === 'done')
      .map(({ step }) => step);
    expect(done).toEqual([
      'prepare_cleaning',
      'erase_devices_metadata',
      'erase_devices',
      'erase_pstore',
      'tear_down_cleaning',
    ]);
    await first.expectClockSet();
  });

  it('is deployed and reaches its own login prompt, named by the config drive', async () => {
    const from = await first.mark();
    await first.conductor.operator.patch(node, { '/instance_info/image_source': first.imageUrl });
    await go('active', 'active', configDrive('first-uefi'));
    await first.expectLogin('first-uefi', from);
    const shown = await first.machine.console.text();
    expect(shown).toContain('boot: firmware uefi');
    expect(shown).toContain('config-drive: 1 keys');
  });

  it('is sent to its disk by an accidental network boot', async () => {
    await strayNetworkBoot(first, 'first-uefi');
    const timeline = await first.conductor.operator.timeline(node);
    expect(timeline.node.provision_state).toBe('active');
    expect(timeline.sightings.map(({ kind }) => kind)).toContain('disk boot');
  });

  it('is undeployed and cleaned', async () => {
    await go('deleted', 'available');
  });

  describe('used through the compute façade', () => {
    let openstack: Client;
    beforeAll(() => {
      openstack = createClient(first.lab, 'openstack');
    });

    it('flavor, image and network are listed', async () => {
      const { imagePath } = first;
      const sizes = ['--vcpus', '2', '--ram', '512', '--disk', '2'];
      await openstack.run('flavor', 'create', 'bm.small', ...sizes);
      const form = ['--disk-format', 'qcow2', '--container-format', 'bare', '--public'];
      await openstack.run('image', 'create', 'test-os', '--file', imagePath, ...form);
      const image = await openstack.show('image', 'show', 'test-os');
      expect(image).toMatchObject({ status: 'active', disk_format: 'qcow2' });
      expect(await openstack.run('network', 'list')).toContain('provisioning');
    });

    it('server create succeeds although the conductor is killed while the image is being written', async () => {
      const { operator, kill, start } = first.conductor;
      const from = await first.mark();
      const userData = join(first.lab.dir, 'user-data');
      await writeFile(userData, 'marker of second-uefi');
      await openstack.run(
        ...['server', 'create', 'second-uefi', '--flavor', 'bm.small', '--image', 'test-os'],
        ...['--network', 'provisioning', '--user-data', userData],
      );
      await operator.waitFor(node, isWriting, { timeoutMs: WAIT_MS });
      await kill();
      await start();
      await expect
        .poll(async () => (await server())['status'], { timeout: WAIT_MS, interval: 5_000 })
        .not.toBe('BUILD');
      expect(await server()).toMatchObject({ status: 'ACTIVE' });
      await first.expectLogin('second-uefi', from);
    });

    it('the system has the address from the network service', async () => {
      const [address] = JSON.parse(
        await openstack.run('port', 'list', '--server', 'second-uefi', '-f', 'json'),
      );
      const fixed = address['Fixed IP Addresses'][0]['ip_address'];
      expect(await first.machine.console.text()).toContain(`address: ${fixed}`);
    });

    it('server delete: the node is cleaned and free', async () => {
      await openstack.run('server', 'delete', 'second-uefi', '--wait');
      expect(JSON.parse(await openstack.run('server', 'list', '-f', 'json'))).toEqual([]);
      const { operator } = first.conductor;
      await operator.waitForState(node, 'available', { timeoutMs: WAIT_MS });
      const { body } = (await operator.call('GET', `/v1/nodes/${node}`)) as { body: object };
      expect(body).toMatchObject({ instance_uuid: null, instance_info: {}, power_state: 'power off' });
    });

    const server = (): Promise<Record<string, unknown>> => openstack.show('server', 'show', 'second-uefi');
  });
});

/** The image is being written and is not almost complete. */
function isWriting({ operations }: Timeline): boolean {
  const progress = operations[0]?.steps.find(({ state }) => state === 'running')?.progress;
  if (progress?.phase !== 'write' || progress.bytes_total === null) return false;
  return progress.bytes_done > 0 && progress.bytes_done < progress.bytes_total / 2;
}
