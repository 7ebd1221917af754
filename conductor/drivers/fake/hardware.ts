/**
 * Power, management and boot of fake hardware: what was last set is what there is.
 */
import type { BootInterface, ManagementInterface, PowerInterface } from '../../domain/drivers.ts';
import { BOOT_DEVICES, type BootDevice } from '../../domain/node.ts';
import type { FakeBehaviour } from './behaviour.ts';

export function createFakePower({ always, act, steps }: FakeBehaviour): PowerInterface {
  return {
    ...always,
    targets: ['power on', 'power off', 'rebooting', 'soft power off', 'soft rebooting'],
    async getPowerState(context) {
      await act(context, 'power', 'get_power_state');
      // The recorded state is the hardware's; a new node is off.
      return context.node.powerState ?? 'power off';
    },
    setPowerState: (context) => act(context, 'power', 'set_power_state'),
    steps: steps('power', [{ operation: 'verify', step: 'verify', priority: 100 }]),
  };
}

/** Boot devices live as long as the conductor; nothing boots from them. */
export function createFakeManagement({ always, act }: FakeBehaviour): ManagementInterface {
  const devices = new Map<string, { device: BootDevice; persistent: boolean }>();
  return {
    ...always,
    bootDevices: BOOT_DEVICES.filter((device) => device === 'pxe'),
    async getBootDevice(context) {
      await act(context, 'management', 'get_boot_device');
      return devices.get(context.node.uuid) ?? { device: 'pxe', persistent: false };
    },
    async setBootDevice(context, setting) {
      await act(context, 'management', 'set_boot_device');
      devices.set(context.node.uuid, setting);
    },
  };
}

export function createFakeBoot({ always, refuse }: FakeBehaviour): BootInterface {
  return {
    ...always,
    prepareRamdisk(node) {
      refuse(node, 'boot', 'prepare_ramdisk');
      return {};
    },
    prepareInstance(node) {
      refuse(node, 'boot', 'prepare_instance');
      return {};
    },
    // Also called to make a failed node safe, so this never fails.
    cleanUp: () => ({}),
  };
}
