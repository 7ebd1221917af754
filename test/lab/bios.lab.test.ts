/**
 * The life of a BIOS machine, controlled only by the unmodified `baremetal` client.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from './client.ts';
import { type FirstMachine, setUpFirstMachine, showOnFailure, strayNetworkBoot } from './first-machine.ts';

const NODE = 'bios-server';
const WAIT = ['--wait', '600'] as const;

describe('a BIOS machine and the baremetal client', () => {
  let first: FirstMachine;
  let baremetal: Client;

  beforeAll(async () => {
    first = await setUpFirstMachine('bios');
    baremetal = createClient(first.lab, 'baremetal');
  });
  afterAll(() => first?.lab.stop());
  beforeEach(() => showOnFailure(first));

  const show = (): Promise<Record<string, unknown>> => baremetal.show('node', 'show', NODE);

  it('create, port create, validate', async () => {
    const info = Object.entries(first.driverInfo).flatMap(([key, value]) => [
      '--driver-info',
      `${key}=${value}`,
    ]);
    const node = await baremetal.show('node', 'create', '--driver', 'ipmi', '--name', NODE, ...info);
    expect(node).toMatchObject({ name: NODE, provision_state: 'enroll' });
    await baremetal.run('port', 'create', first.machine.mac, '--node', String(node['uuid']));
    expect(await baremetal.run('node', 'validate', NODE)).toMatch(/power +\| True/);
  });

  it('manage', async () => {
    await baremetal.run('node', 'manage', NODE, ...WAIT);
    expect(await show()).toMatchObject({ provision_state: 'manageable', power_state: 'power off' });
  });

  it('inspect', async () => {
    await baremetal.run('node', 'inspect', NODE, ...WAIT);
    const { properties } = await show();
    expect(properties).toMatchObject({ cpu_arch: 'x86_64', cpus: 2, local_gb: 5 });
    // The client of Debian 12 has no command for the inventory.
    const { body } = (await first.conductor.operator.call('GET', `/v1/nodes/${NODE}/inventory`)) as {
      body: { inventory: { boot: object } };
    };
    expect(body.inventory.boot).toMatchObject({ current_boot_mode: 'bios' });
  });

  it('provide', async () => {
    await baremetal.run('node', 'provide', NODE, ...WAIT);
    expect(await show()).toMatchObject({ provision_state: 'available', last_error: null });
    await first.expectClockSet();
  });

  it('deploy with a config drive made from a directory', async () => {
    const directory = join(first.lab.dir, 'config-drive');
    await mkdir(join(directory, 'openstack/latest'), { recursive: true });
    const metaData = { hostname: 'first-bios', public_keys: { lab: 'ssh-ed25519 AAAA lab' } };
    await writeFile(join(directory, 'openstack/latest/meta_data.json'), JSON.stringify(metaData));
    await writeFile(join(directory, 'openstack/latest/user_data'), 'marker of first-bios');
    const from = await first.mark();
    await baremetal.run('node', 'set', NODE, '--instance-info', `image_source=${first.imageUrl}`);
    await baremetal.run('node', 'deploy', NODE, '--config-drive', directory, ...WAIT);
    expect(await show()).toMatchObject({ provision_state: 'active', power_state: 'power on' });
    await first.expectLogin('first-bios', from);
    const shown = await first.machine.console.text();
    expect(shown).toContain('boot: firmware bios');
    expect(shown).toContain('config-drive: 1 keys');
  });

  it('an accidental network boot starts the system on the disk', async () => {
    await strayNetworkBoot(first, 'first-bios');
    expect(await show()).toMatchObject({ provision_state: 'active' });
    const uuid = String((await show())['uuid']);
    const { sightings } = await first.conductor.operator.timeline(uuid);
    expect(sightings.map(({ kind }) => kind)).toContain('disk boot');
  });

  it('power off and on', async () => {
    await baremetal.run('node', 'power', 'off', NODE, '--power-timeout', '60');
    await expect.poll(async () => (await show())['power_state'], { timeout: 60_000 }).toBe('power off');
    expect(first.machine.isRunning()).toBe(false);
    const from = await first.mark();
    await baremetal.run('node', 'power', 'on', NODE);
    await expect.poll(async () => (await show())['power_state'], { timeout: 60_000 }).toBe('power on');
    expect(await first.ipmitool('chassis', 'power', 'status')).toContain('is on');
    await first.expectLogin('first-bios', from);
  });

  it('undeploy', async () => {
    await baremetal.run('node', 'undeploy', NODE, ...WAIT);
    expect(await show()).toMatchObject({ provision_state: 'available', instance_info: {} });
  });

  it('deploy again, with a config drive given as JSON', async () => {
    const from = await first.mark();
    await baremetal.run('node', 'set', NODE, '--instance-info', `image_source=${first.imageUrl}`);
    const drive = JSON.stringify({
      meta_data: { hostname: 'second-bios' },
      user_data: 'marker of second-bios',
    });
    await baremetal.run('node', 'deploy', NODE, '--config-drive', drive, ...WAIT);
    await first.expectLogin('second-bios', from);
  });

  it('undeploy without cleaning, and delete', async () => {
    await baremetal.run('node', 'set', NODE, '--no-automated-clean');
    await baremetal.run('node', 'undeploy', NODE, ...WAIT);
    expect(await first.ipmitool('chassis', 'power', 'status')).toContain('is off');
    await baremetal.run('node', 'delete', NODE);
    expect(JSON.parse(await baremetal.run('node', 'list', '-f', 'json'))).toEqual([]);
    expect(JSON.parse(await baremetal.run('port', 'list', '-f', 'json'))).toEqual([]);
  });
});
