/**
 * The interfaces of `fake-hardware`: hardware that always works, for trying the whole life cycle
 * without machines. Power and boot device are what was last set.
 */
import type {
  BootInterface,
  DriverInterface,
  ManagementInterface,
  PowerInterface,
  StepImplementation,
} from '../domain/drivers.ts';
import { BOOT_DEVICES, type BootDevice } from '../domain/node.ts';
import { POWER_RESULT } from '../engine/power.ts';

const always = { properties: {}, validate: () => undefined };

const step = (
  operation: StepImplementation['operation'],
  name: string,
  priority: number,
  advance: StepImplementation['advance'] = async () => ({ kind: 'done' }),
): StepImplementation => ({ operation, step: name, priority, abortable: true, onRestart: 'resume', advance });

export const fakePower: PowerInterface = {
  name: 'fake',
  ...always,
  targets: ['power on', 'power off', 'rebooting', 'soft power off', 'soft rebooting'],
  // The recorded state is the hardware's; a new node is off.
  getPowerState: async ({ node }) => node.powerState ?? 'power off',
  setPowerState: async (_, target) => void POWER_RESULT[target],
  steps: [step('verify', 'verify', 100)],
};

/** Boot devices live as long as the conductor; nothing boots from them. */
export function createFakeManagement(): ManagementInterface {
  const devices = new Map<string, { device: BootDevice; persistent: boolean }>();
  return {
    name: 'fake',
    ...always,
    bootDevices: BOOT_DEVICES.filter((device) => device === 'pxe'),
    getBootDevice: async ({ node }) => devices.get(node.uuid) ?? { device: 'pxe', persistent: false },
    setBootDevice: async ({ node }, setting) => void devices.set(node.uuid, setting),
  };
}

export const fakeBoot: BootInterface = {
  name: 'fake',
  ...always,
  prepareRamdisk: () => ({}),
  prepareInstance: () => ({}),
  cleanUp: () => ({}),
};

export const fakeDeploy: DriverInterface = {
  name: 'fake',
  ...always,
  steps: [
    step('deploy', 'deploy', 100, async (context) => {
      await context.setPower('power on');
      return { kind: 'done' };
    }),
    step('delete', 'tear_down', 100, async (context) => {
      await context.setPower('power off');
      await context.updateNode({ instanceInfo: {}, instanceUuid: null });
      return { kind: 'done' };
    }),
    step('clean', 'erase_devices', 10),
  ],
};

export const fakeInspect: DriverInterface = {
  name: 'fake',
  ...always,
  steps: [step('inspect', 'inspect_hardware', 100)],
};

export const fakeInterface: DriverInterface = { name: 'fake', ...always };
