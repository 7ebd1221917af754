/**
 * All interfaces of `fake-hardware`, which has the whole life cycle without machines.
 */
import type {
  BootInterface,
  DriverInterface,
  ManagementInterface,
  PowerInterface,
} from '../../domain/drivers.ts';
import type { InterfaceType } from '../../domain/node.ts';
import { createFakeBehaviour, type FakeSettings } from './behaviour.ts';
import { createFakeBios } from './bios.ts';
import { createFakeRaid } from './configuration.ts';
import { createFakeFirmware } from './firmware.ts';
import { createFakeBoot, createFakeManagement, createFakePower } from './hardware.ts';
import { createFakeDeploy, createFakeInspect, createFakeRescue } from './provisioning.ts';
import { createFakeConsole, createFakeVendor } from './vendor.ts';

export interface FakeInterfaces extends Readonly<Record<InterfaceType, DriverInterface>> {
  readonly power: PowerInterface;
  readonly management: ManagementInterface;
  readonly boot: BootInterface;
}

/** Without settings there are no delays. */
export function createFakeInterfaces(
  settings: FakeSettings = { delays: {}, random: Math.random },
): FakeInterfaces {
  const behaviour = createFakeBehaviour(settings);
  return {
    power: createFakePower(behaviour),
    management: createFakeManagement(behaviour),
    boot: createFakeBoot(behaviour),
    deploy: createFakeDeploy(behaviour),
    inspect: createFakeInspect(behaviour),
    rescue: createFakeRescue(behaviour),
    bios: createFakeBios(behaviour),
    raid: createFakeRaid(behaviour),
    firmware: createFakeFirmware(behaviour),
    vendor: createFakeVendor(behaviour),
    // Used by the deploy interface.
    network: behaviour.always,
    storage: behaviour.always,
    console: createFakeConsole(behaviour),
  };
}
