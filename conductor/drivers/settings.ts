/**
 * Settings of the drivers: the kernel of the ramdisk, and the delays of fake hardware.
 */
import type { DelayRange } from '../domain/delay-range.ts';
import type { InterfaceType } from '../domain/node.ts';
import type { Setting, Settings, SettingValues } from '../domain/setting.ts';

/** Ironic's `[fake] *_delay`. */
const fakeDelay = (type: string) =>
  ({
    name: `fake.${type}_delay`,
    type: 'delay',
    default: '0',
    unit: 'seconds',
    help: `Duration of an action of the fake ${type} interface: \`2\`, or \`2,10\` for a random time between two and ten seconds, most often near two.`,
  }) as const satisfies Setting;

export const DRIVER_SETTINGS = {
  provisioningUntrusted: {
    name: 'provisioning.untrusted',
    type: 'flag',
    default: false,
    help: 'Strangers may read or change the traffic of the provisioning network. Boot interfaces that send the boot secret over it in clear (`ipxe`, `pxe`) are refused.',
  },
  kernelParams: {
    name: 'boot.kernel_params',
    type: 'text',
    default: 'console=tty0 console=ttyS0,115200 nofb vga=normal',
    help: "Kernel parameters for the ramdisk, after those that the agent needs. A node's `kernel_append_params` replaces them; `%default%` in it stands for these.",
  },
  fakePowerDelay: fakeDelay('power'),
  fakeManagementDelay: fakeDelay('management'),
  fakeBootDelay: fakeDelay('boot'),
  fakeDeployDelay: fakeDelay('deploy'),
  fakeInspectDelay: fakeDelay('inspect'),
  fakeRescueDelay: fakeDelay('rescue'),
  fakeStorageDelay: fakeDelay('storage'),
  fakeBiosDelay: fakeDelay('bios'),
  fakeRaidDelay: fakeDelay('raid'),
  fakeFirmwareDelay: fakeDelay('firmware'),
  fakeVendorDelay: fakeDelay('vendor'),
} as const satisfies Settings;

/** Delays of the fake interfaces by their type. */
export const fakeDelaysOf = (
  values: SettingValues<typeof DRIVER_SETTINGS>,
): Partial<Record<InterfaceType, DelayRange>> => ({
  power: values.fakePowerDelay,
  management: values.fakeManagementDelay,
  boot: values.fakeBootDelay,
  deploy: values.fakeDeployDelay,
  inspect: values.fakeInspectDelay,
  rescue: values.fakeRescueDelay,
  storage: values.fakeStorageDelay,
  bios: values.fakeBiosDelay,
  raid: values.fakeRaidDelay,
  firmware: values.fakeFirmwareDelay,
  vendor: values.fakeVendorDelay,
});
