/**
 * The driver object of each interface of a node.
 */
import type {
  BootInterface,
  DriverInterface,
  Hardware,
  HardwareType,
  ManagementInterface,
  PowerInterface,
  StepImplementation,
} from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { INTERFACE_TYPES, type InterfaceType, type Node } from '../domain/node.ts';
import type { OperationKind } from '../domain/operations.ts';
import type { Step } from '../domain/steps.ts';
import { conductorStep, conductorSteps } from './conductor-steps.ts';

type InterfaceNames = Readonly<Record<InterfaceType, string>>;

export interface HardwareRegistry {
  readonly types: readonly HardwareType[];
  /**
   * The interface names of a node: the requested ones, checked, else the driver's defaults. Throws invalidParameter.
   */
  choose(driver: string, asked: Partial<InterfaceNames>): InterfaceNames;
  /** Throws invalidParameter if the node names a driver or interface that this conductor does not have. */
  of(node: Pick<Node, 'driver' | 'interfaces' | 'uuid'>): Hardware;
}

export function createHardwareRegistry(types: readonly HardwareType[]): HardwareRegistry {
  const typeNamed = (driver: string): HardwareType => {
    const found = types.find((type) => type.name === driver);
    if (found) return found;
    const known = types.map((type) => type.name).join(', ');
    throw new IngotError(
      'invalidParameter',
      `No valid host was found. Reason: No conductor service registered which supports driver ${driver} for conductor group "". Field "driver" must be one of: ${known}.`,
    );
  };

  const implementation = (driver: string, type: InterfaceType, name: string | undefined): DriverInterface => {
    const offered = typeNamed(driver).interfaces[type];
    const found = name === undefined ? offered[0] : offered.find((candidate) => candidate.name === name);
    if (found) return found;
    throw new IngotError(
      'invalidParameter',
      `Could not find the following interface in the "${type}" interfaces of driver "${driver}": ${name}. Field "${type}_interface" must be one of: ${offered.map((o) => o.name).join(', ')}.`,
    );
  };

  return {
    types,
    choose(driver, asked) {
      typeNamed(driver);
      const names = INTERFACE_TYPES.map(
        (type) => [type, implementation(driver, type, asked[type]).name] as const,
      );
      return Object.fromEntries(names) as InterfaceNames;
    },
    of(node) {
      const all = Object.fromEntries(
        INTERFACE_TYPES.map((type) => [type, implementation(node.driver, type, node.interfaces[type])]),
      ) as Record<InterfaceType, DriverInterface>;
      return {
        all,
        // drivers/hardware-types.ts types each interface by its type.
        power: all.power as PowerInterface,
        management: all.management as ManagementInterface,
        boot: all.boot as BootInterface,
        deploy: all.deploy,
        inspect: all.inspect,
        network: all.network,
      };
    },
  };
}

/** Every step that the node's interfaces and the conductor add to an operation, including those of priority 0. */
export function stepsOffered(hardware: Hardware, kind: OperationKind): Step[] {
  const ofInterfaces = INTERFACE_TYPES.flatMap((type) =>
    (hardware.all[type].steps ?? []).map((step) => [type, step] as const),
  );
  const ofConductor = conductorSteps(kind).map((step) => ['deploy' as InterfaceType, step] as const);
  return [...ofInterfaces, ...ofConductor]
    .filter(([, step]) => step.operation === kind)
    .map(([type, step]) => ({
      interface: type,
      step: step.step,
      args: {},
      priority: step.priority,
      where: 'conductor' as const,
      abortable: step.abortable,
    }));
}

export function findStep(
  hardware: Hardware,
  kind: OperationKind,
  step: Pick<Step, 'interface' | 'step'>,
): StepImplementation | undefined {
  return (
    conductorStep(kind, step.step) ??
    hardware.all[step.interface].steps?.find((one) => one.operation === kind && one.step === step.step)
  );
}
