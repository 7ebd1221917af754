/**
 * Power, management and boot of fake hardware: reads return what was last set.
 */
import {
  type Indicator,
  type IndicatorState,
  MEDIA_DEVICES,
  type MediaDevice,
} from '../../domain/driver-parts.ts';
import type { BootInterface, ManagementInterface, PowerInterface } from '../../domain/drivers.ts';
import { BOOT_DEVICES, type BootDevice, type Node } from '../../domain/node.ts';
import type { FakeBehaviour } from './behaviour.ts';

export function createFakePower({ always, act, steps }: FakeBehaviour): PowerInterface {
  return {
    ...always,
    targets: ['power on', 'power off', 'rebooting', 'soft power off', 'soft rebooting'],
    async getPowerState(context) {
      await act(context, 'power', 'get_power_state');
      // The hardware has the recorded state; a new node is off.
      return context.node.powerState ?? 'power off';
    },
    setPowerState: (context) => act(context, 'power', 'set_power_state'),
    steps: steps('power', [{ operation: 'verify', step: 'verify', priority: 100 }]),
  };
}

/** The indicators of Ironic's fake hardware. */
const INDICATORS: readonly Indicator[] = [
  { component: 'chassis', name: 'led-0', readonly: true, states: ['OFF', 'ON'] },
  { component: 'system', name: 'led', readonly: false, states: ['BLINKING', 'OFF', 'ON'] },
];

/** Boot devices, lights and virtual media are lost when the conductor stops; they have no effect. */
export function createFakeManagement({ always, act, refuse }: FakeBehaviour): ManagementInterface {
  const devices = new Map<string, { device: BootDevice; persistent: boolean }>();
  const lights = new Map<string, IndicatorState>();
  const media = new Map<string, string>();
  const drive = (node: Node, device: MediaDevice) => `${node.uuid} ${device}`;
  const light = (node: Node, { component, name }: Indicator) => `${node.uuid} ${name}@${component}`;
  return {
    ...always,
    supportedBootDevices: async () => BOOT_DEVICES.filter((device) => device === 'pxe'),
    async getBootDevice(context) {
      await act(context, 'management', 'get_boot_device');
      return devices.get(context.node.uuid) ?? { device: 'pxe', persistent: false };
    },
    async setBootDevice(context, setting) {
      await act(context, 'management', 'set_boot_device');
      devices.set(context.node.uuid, setting);
    },
    bootMode: {
      setBootMode: (context) => act(context, 'management', 'set_boot_mode'),
      setSecureBoot: (context) => act(context, 'management', 'set_secure_boot_state'),
    },
    async health({ node }) {
      const { fake_health: health } = node.driverInfo;
      return typeof health === 'string' ? health : null;
    },
    virtualMedia: {
      async list({ node }) {
        refuse(node, 'management', 'get_virtual_media');
        return MEDIA_DEVICES.map((device) => ({ device, imageUrl: media.get(drive(node, device)) ?? null }));
      },
      async attach(context, device, imageUrl) {
        await act(context, 'management', 'attach_virtual_media');
        media.set(drive(context.node, device), imageUrl);
      },
      async detach(context, detached) {
        await act(context, 'management', 'detach_virtual_media');
        for (const device of detached) media.delete(drive(context.node, device));
      },
    },
    indicators: {
      list: async () => INDICATORS,
      async get(context, indicator) {
        await act(context, 'management', 'get_indicator_state');
        return lights.get(light(context.node, indicator)) ?? 'OFF';
      },
      async set(context, indicator, state) {
        await act(context, 'management', 'set_indicator_state');
        lights.set(light(context.node, indicator), state);
      },
    },
  };
}

export function createFakeBoot({ always, refuse }: FakeBehaviour): BootInterface {
  return {
    ...always,
    async prepareRamdisk({ node }) {
      refuse(node, 'boot', 'prepare_ramdisk');
      return { kind: 'done' };
    },
    async prepareInstance({ node }) {
      refuse(node, 'boot', 'prepare_instance');
      return { kind: 'done' };
    },
    // Also called to make a failed node safe, so it never fails.
    cleanUp: async () => ({ kind: 'done' }),
  };
}
