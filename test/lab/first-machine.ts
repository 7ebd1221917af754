/**
 * One machine with a given firmware, in its own lab with a conductor, and checks that several lab tests share.
 */
import { expect, onTestFailed } from 'vitest';
import { type LabConductor, startConductor } from './conductor.ts';
import { prepareIngredients } from './ingredients.ts';
import { type Lab, type LabMachine, startLab } from './lab.ts';

/** Emulation is slow, so these limits are far above all observed times. */
export const WAIT_MS = 600_000;
const SHOWN_LINES = 40;

/** Their clocks are wrong by decades, because no trust may depend on the clock of a machine. */
const MACHINES = {
  bios: { mac: '52:54:00:83:00:0b', clock: '1970-01-01T00:00:30' },
  uefi: { mac: '52:54:00:83:00:0e', clock: '2099-12-31T23:00:00' },
} as const;

export interface FirstMachine {
  readonly lab: Lab;
  readonly conductor: LabConductor;
  readonly machine: LabMachine;
  /** driver_info of the machine's BMC. */
  readonly driverInfo: Readonly<Record<string, string | number>>;
  /** `instance_info/image_source`. */
  readonly imageUrl: string;
  /** The same image as a qcow2 file. */
  readonly imagePath: string;
  /** The current end of the console's text. */
  mark(): Promise<number>;
  /** Waits for the login prompt of the deployed system and for the user data of its config drive. */
  expectLogin(hostName: string, from: number): Promise<void>;
  /** The agent has set the clock, which was wrong by decades. It believes only the time of a conductor with the pinned key. */
  expectClockSet(): Promise<void>;
  /** Sends a command to the BMC without the conductor. */
  ipmitool(...command: string[]): Promise<string>;
}

/** `strangers`: number of further network cards, from `tap1` on, for machines that nobody enrolled. */
export async function setUpFirstMachine(
  firmware: 'bios' | 'uefi',
  { strangers = 0 } = {},
): Promise<FirstMachine> {
  const { ramdiskDir, osImage } = await prepareIngredients(AbortSignal.timeout(WAIT_MS));
  const lab = await startLab([{ name: 'server', firmware, ...MACHINES[firmware] }], { strangers });
  try {
    const conductor = await startConductor(lab, ramdiskDir);
    const imageUrl = await conductor.offerImage(osImage.path);
    const machine = lab.machine('server');
    const { bmc, console } = machine;
    return {
      lab,
      conductor,
      machine,
      imageUrl,
      imagePath: osImage.path,
      driverInfo: {
        ipmi_address: bmc.address,
        ipmi_port: bmc.port,
        ipmi_username: bmc.username,
        ipmi_password: bmc.password,
      },
      mark: async () => (await console.text()).length,
      async expectLogin(hostName, from) {
        const wait = { timeoutMs: WAIT_MS, from };
        await console.waitFor(new RegExp(`user-data: marker of ${hostName}$`, 'm'), wait);
        await console.waitFor(new RegExp(`^${hostName} login:`, 'm'), wait);
      },
      async expectClockSet() {
        const [, said, set] =
          /the clock said (\d{4})-.* and is now set to (\d{4})-/.exec(await console.text()) ?? [];
        expect(Math.abs(Number(said) - Number(set))).toBeGreaterThan(10);
        expect(set).toBe(String(new Date().getUTCFullYear()));
      },
      async ipmitool(...command) {
        const session = ['-I', 'lanplus', '-C', '3', '-H', bmc.address, '-p', String(bmc.port)];
        const { code, output } = await lab.run(
          'ipmitool',
          [...session, '-U', bmc.username, '-E', ...command],
          { env: { IPMITOOL_PASSWORD: bmc.password } },
        );
        if (code !== 0) throw new Error(`ipmitool ${command.join(' ')} failed: ${output}`);
        return output;
      },
    };
  } catch (error) {
    await lab.stop();
    throw error;
  }
}

/** Boots an active machine from the network, as with a wrong boot order, and checks that its own system starts. */
export async function strayNetworkBoot(first: FirstMachine, hostName: string): Promise<void> {
  const from = await first.mark();
  await first.ipmitool('chassis', 'power', 'off');
  await first.ipmitool('chassis', 'bootdev', 'pxe');
  await first.ipmitool('chassis', 'power', 'on');
  await first.expectLogin(hostName, from);
}

/** Prints the last output of machine and conductor if the calling test fails. */
export function showOnFailure(first: FirstMachine): void {
  onTestFailed(async () => {
    const log = await first.conductor.lastLog(SHOWN_LINES);
    const shown = await first.machine.console.lastLines(SHOWN_LINES);
    process.stderr.write(`-- the conductor's last lines\n${log}\n-- the console's last lines\n${shown}\n`);
  });
}
