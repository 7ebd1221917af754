/**
 * Hardware types: which implementations each offers, most preferred first. A new vendor is a row.
 */
import type {
  BootInterface,
  DriverInterface,
  HardwareType,
  ManagementInterface,
  PowerInterface,
} from '../domain/drivers.ts';
import { createFakeManagement, fakeBoot, fakeDeploy, fakeInspect, fakeInterface, fakePower } from './fake.ts';
import { NOT_OFFERED, noop } from './not-offered.ts';

/** The typed parts of a hardware type, so that a power interface cannot stand where a boot interface belongs. */
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
}

export function createHardwareTypes(parts: HardwareParts): HardwareType[] {
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
        power: [fakePower],
        management: [createFakeManagement()],
        boot: [fakeBoot, parts.ipxe, parts.pxe],
        deploy: [fakeDeploy, parts.direct],
        inspect: [fakeInspect, parts.agentInspect, NOT_OFFERED.inspect],
      },
      {
        bios: [fakeInterface, NOT_OFFERED.bios],
        console: [fakeInterface, NOT_OFFERED.console],
        firmware: [fakeInterface, NOT_OFFERED.firmware],
        raid: [fakeInterface, NOT_OFFERED.raid],
        rescue: [fakeInterface, NOT_OFFERED.rescue],
        vendor: [fakeInterface, NOT_OFFERED.vendor],
      },
    ),
  ];
}
