/**
 * The life of a UEFI machine over REST, with a conductor that is killed while the image is being written.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FirstMachine,
  setUpFirstMachine,
  showOnFailure,
  strayNetworkBoot,
  WAIT_MS,
} from './first-machine.ts';
import { settledIn, type Timeline } from './operator.ts';

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
      'tear_down_cleaning',
    ]);
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

  it('is sent to its disk when it boots from the network by accident', async () => {
    await strayNetworkBoot(first, 'first-uefi');
    const timeline = await first.conductor.operator.timeline(node);
    expect(timeline.node.provision_state).toBe('active');
    expect(timeline.sightings.map(({ kind }) => kind)).toContain('disk boot');
  });

  it('is undeployed and cleaned', async () => {
    await go('deleted', 'available');
  });

  it('is deployed again although the conductor is killed while the image is being written', async () => {
    const { operator, kill, start } = first.conductor;
    const from = await first.mark();
    await operator.patch(node, { '/instance_info/image_source': first.imageUrl });
    await operator.provision(node, 'active', configDrive('second-uefi'));
    await operator.waitFor(node, isWriting, { timeoutMs: WAIT_MS });
    await kill();
    await start();
    const after = await operator.waitFor(node, settledIn('active', 'deploy failed'), { timeoutMs: WAIT_MS });
    process.stdout.write(
      `after the kill the deploy ended in ${after.node.provision_state}: ${after.node.last_error ?? 'no error'}\n`,
    );
    if (after.node.provision_state === 'deploy failed') {
      expect(after.node.last_error).toMatch(/write_image/);
      await go('active', 'active', configDrive('second-uefi'));
    }
    await first.expectLogin('second-uefi', from);
  });
});

/** The image is on its way to the disk, and not near its end. */
function isWriting({ operations }: Timeline): boolean {
  const progress = operations[0]?.steps.find(({ state }) => state === 'running')?.progress;
  if (progress?.phase !== 'write' || progress.bytes_total === null) return false;
  return progress.bytes_done > 0 && progress.bytes_done < progress.bytes_total / 2;
}
