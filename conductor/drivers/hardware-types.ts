/**
 * Hardware types: the implementations that each offers, most preferred first. A new hardware type is a row.
 */
import type {
  BootInterface,
  DriverInterface,
  HardwareType,
  ManagementInterface,
  PowerInterface,
} from '../domain/drivers.ts';
import type { FakeInterfaces } from './fake/interfaces.ts';
import { NOT_OFFERED, noop } from './not-offered.ts';

/** The interfaces of a hardware type by type, so that a power interface can not be used as a boot interface. */
interface TypedInterfaces {
  readonly power: readonly PowerInterface[];
  readonly management: readonly ManagementInterface[];
  readonly boot: readonly BootInterface[];
  readonly deploy: readonly DriverInterface[];
  readonly inspect: readonly DriverInterface[];
}

function hardwareType(
  name: string,
  offered: TypedInterfaces,
  more: Partial<HardwareType['interfaces']> = {},
): HardwareType {
  return {
    name,
    interfaces: {
      bios: [NOT_OFFERED.bios],
      console: [NOT_OFFERED.console],
      firmware: [NOT_OFFERED.firmware],
      network: [noop('noop')],
      raid: [NOT_OFFERED.raid],
      rescue: [NOT_OFFERED.rescue],
      storage: [noop('noop')],
      vendor: [NOT_OFFERED.vendor],
      ...offered,
      ...more,
    },
  };
}

export interface HardwareParts {
  readonly ipmiPower: PowerInterface;
  readonly ipmiManagement: ManagementInterface;
  readonly ipxe: BootInterface;
  readonly pxe: BootInterface;
  readonly direct: DriverInterface;
  readonly agentInspect: DriverInterface;
  readonly fake: FakeInterfaces;
}

export function createHardwareTypes(parts: HardwareParts): HardwareType[] {
  const { fake } = parts;
  return [
    hardwareType('ipmi', {
      power: [parts.ipmiPower],
      management: [parts.ipmiManagement],
      boot: [parts.ipxe, parts.pxe],
      deploy: [parts.direct],
      inspect: [parts.agentInspect, NOT_OFFERED.inspect],
    }),
    hardwareType(
      'fake-hardware',
      {
        power: [fake.power],
        management: [fake.management],
        boot: [fake.boot, parts.ipxe, parts.pxe],
        deploy: [fake.deploy, parts.direct],
        inspect: [fake.inspect, parts.agentInspect, NOT_OFFERED.inspect],
      },
      {
        bios: [fake.bios, NOT_OFFERED.bios],
        console: [fake.console, NOT_OFFERED.console],
        firmware: [fake.firmware, NOT_OFFERED.firmware],
        // The defaults of Ironic's fake-hardware; its fake network and storage must be requested.
        network: [noop('noop'), fake.network],
        raid: [fake.raid, NOT_OFFERED.raid],
        rescue: [fake.rescue, NOT_OFFERED.rescue],
        storage: [noop('noop'), fake.storage],
        vendor: [fake.vendor, NOT_OFFERED.vendor],
      },
    ),
  ];
}
