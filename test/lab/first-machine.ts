/**
 * The life of a first machine, as tests that follow one another: the same for every firmware.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LabConductor, startConductor } from './conductor.ts';
import { prepareIngredients } from './ingredients.ts';
import { type Lab, type LabMachine, startLab } from './lab.ts';
import type { Timeline } from './operator.ts';

/** Far above what was ever seen: emulation is slow, and never what is tested. */
const WAIT_MS = 600_000;

export interface FirstMachine {
  readonly lab: Lab;
  readonly conductor: LabConductor;
  readonly machine: LabMachine;
  readonly node: string;
  readonly imageUrl: string;
  /** Provisions and waits. */
  go(target: string, state: string, more?: Record<string, unknown>): Promise<Timeline>;
  /** Deploys with a config drive and waits for the login prompt with its host name. */
  deploy(hostName: string): Promise<void>;
  /** What the console shows from now on. */
  mark(): Promise<number>;
}

export function describeFirstMachine(firmware: 'bios' | 'uefi'): void {
  describe(`a ${firmware} machine`, () => {
    let first: FirstMachine;

    beforeAll(async () => {
      first = await setUp(firmware);
    });
    afterAll(async () => {
      await first?.lab.stop();
    });

    it('is enrolled and its BMC answers', async () => {
      await first.go('manage', 'manageable');
    });

    it('is inspected by the ramdisk', async () => {
      const { operator } = first.conductor;
      await first.go('inspect', 'manageable');
      const { body } = (await operator.call('GET', `/v1/nodes/${first.node}`)) as {
        body: { properties: object };
      };
      expect(body.properties).toMatchObject({ cpu_arch: 'x86_64', cpus: 2, local_gb: 5 });
      const stored = (await operator.call('GET', `/v1/nodes/${first.node}/inventory`)) as {
        body: { inventory: { boot: object; disks: { name: string }[] } };
      };
      expect(stored.body.inventory.boot).toEqual({
        current_boot_mode: firmware,
        pxe_interface: first.machine.mac,
      });
      expect(stored.body.inventory.disks.map(({ name }) => name)).toEqual(['/dev/vda']);
    });

    it('is cleaned and available', async () => {
      const timeline = await first.go('provide', 'available');
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
      await first.deploy(`first-${firmware}`);
      expect(await first.machine.console.text()).toContain(`boot: firmware ${firmware}`);
      expect(await first.machine.console.text()).toContain('config-drive: 1 keys');
    });

    it('is sent to its disk when it boots from the network by accident', async () => {
      const from = await first.mark();
      const { bmc } = first.machine;
      const ipmi = [
        '-I',
        'lanplus',
        '-C',
        '3',
        '-H',
        bmc.address,
        '-p',
        String(bmc.port),
        '-U',
        bmc.username,
        '-P',
        bmc.password,
      ];
      for (const command of [
        ['chassis', 'power', 'off'],
        ['chassis', 'bootdev', 'pxe'],
        ['chassis', 'power', 'on'],
      ]) {
        const done = await first.lab.run('ipmitool', [...ipmi, ...command]);
        expect(done).toMatchObject({ code: 0 });
      }
      await first.machine.console.waitFor(new RegExp(`first-${firmware} login:`), {
        timeoutMs: WAIT_MS,
        from,
      });
      const timeline = await first.conductor.operator.timeline(first.node);
      expect(timeline.node.provision_state).toBe('active');
      expect(timeline.sightings.map(({ kind }) => kind)).toContain('disk boot');
    });

    it('is undeployed, cleaned, and deployed again with another name', async () => {
      await first.go('deleted', 'available');
      await first.deploy(`second-${firmware}`);
    });
  });
}

async function setUp(firmware: 'bios' | 'uefi'): Promise<FirstMachine> {
  const { ramdiskDir, osImage } = await prepareIngredients(AbortSignal.timeout(WAIT_MS));
  const mac = firmware === 'bios' ? '52:54:00:83:00:0b' : '52:54:00:83:00:0e';
  const lab = await startLab([{ name: 'server', firmware, mac }]);
  try {
    const conductor = await startConductor(lab, ramdiskDir);
    const { operator } = conductor;
    const imageUrl = await conductor.offerImage(osImage.path);
    const machine = lab.machine('server');
    const { address, port, username, password } = machine.bmc;
    const driverInfo = {
      ipmi_address: address,
      ipmi_port: port,
      ipmi_username: username,
      ipmi_password: password,
    };
    const node = await operator.enroll({ name: `${firmware}-server`, driver: 'ipmi', driverInfo, mac });
    const mark = async (): Promise<number> => (await machine.console.text()).length;
    const go: FirstMachine['go'] = async (target, state, more) => {
      await operator.provision(node, target, more);
      return operator.waitForState(node, state, { timeoutMs: WAIT_MS });
    };
    const deploy = async (hostName: string): Promise<void> => {
      const from = await mark();
      await operator.patch(node, { '/instance_info/image_source': imageUrl });
      const configdrive = {
        meta_data: { hostname: hostName, public_keys: { lab: 'ssh-ed25519 AAAA lab' } },
        user_data: `marker of ${hostName}`,
      };
      await go('active', 'active', { configdrive });
      await machine.console.waitFor(new RegExp(`user-data: marker of ${hostName}`), {
        timeoutMs: WAIT_MS,
        from,
      });
      await machine.console.waitFor(new RegExp(`${hostName} login:`), { timeoutMs: WAIT_MS, from });
    };
    return { lab, conductor, machine, node, imageUrl, go, deploy, mark };
  } catch (error) {
    await lab.stop();
    throw error;
  }
}
