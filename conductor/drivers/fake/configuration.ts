/**
 * RAID of fake hardware, and manual steps: steps that run only when an operator names them, in cleaning, deployment
 * and service.
 */
import type { DriverInterface } from '../../domain/drivers.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { InterfaceType } from '../../domain/node.ts';
import type { OperationKind } from '../../domain/operations.ts';
import type { FakeBehaviour, FakeStep } from './behaviour.ts';

export type NamedStep = Omit<FakeStep, 'operation' | 'priority'>;
export const EVERYWHERE: readonly OperationKind[] = ['clean', 'deploy', 'service'];

/** The same steps for each of these operations, never automatic. */
export const manual = (steps: readonly NamedStep[], operations: readonly OperationKind[]): FakeStep[] =>
  operations.flatMap((operation) => steps.map((step) => ({ ...step, operation, priority: 0 })));

const withSteps = (
  { always, steps }: FakeBehaviour,
  type: InterfaceType,
  offered: readonly FakeStep[],
): DriverInterface => ({ ...always, steps: steps(type, offered) });

/** The allowed keys of a logical disk in `target_raid_config`. */
const LOGICAL_DISK = {
  size_gb: 'Size in GiB, or "MAX" for what is left. Required.',
  raid_level: 'JBOD, 0, 1, 2, 5, 6, 1+0, 5+0 or 6+0. Required.',
  volume_name: 'Name of the volume; one is made up without. Optional.',
  is_root_volume: 'Whether the instance goes there. Default false. Optional.',
  share_physical_disks: 'Whether other logical disks may use its disks, too. Default false. Optional.',
  disk_type: 'hdd or ssd; any without. Optional.',
  interface_type: 'sata, scsi or sas; any without. Optional.',
  number_of_physical_disks: 'How many disks; as few as the level needs without. Optional.',
  controller: 'Which RAID controller; the driver chooses without. Optional.',
  physical_disks: 'Which disks; the driver chooses without. Optional.',
} as const;

export function createFakeRaid(behaviour: FakeBehaviour): DriverInterface {
  const create: NamedStep = {
    step: 'create_configuration',
    argsInfo: {
      create_root_volume: { description: 'Make the root volume, too. Default true.', required: false },
      create_nonroot_volumes: { description: 'Make the other volumes, too. Default true.', required: false },
    },
    effect: (context) => context.updateNode({ raidConfig: context.node.targetRaidConfig }),
  };
  const erase: NamedStep = {
    step: 'delete_configuration',
    effect: (context) => context.updateNode({ raidConfig: {} }),
  };
  const apply: NamedStep = {
    step: 'apply_configuration',
    argsInfo: {
      raid_config: { description: 'The RAID wanted: {logical_disks: [...]}.', required: true },
      create_root_volume: create.argsInfo!['create_root_volume']!,
      create_nonroot_volumes: create.argsInfo!['create_nonroot_volumes']!,
      delete_existing: { description: 'Delete what is there before. Default true.', required: false },
    },
    async effect(context) {
      const wanted = context.step.args['raid_config'];
      await context.updateNode({ raidConfig: isJsonObject(wanted) ? wanted : {} });
    },
  };
  const offered = [...manual([create, erase], ['clean', 'service']), ...manual([apply], EVERYWHERE)];
  return { ...withSteps(behaviour, 'raid', offered), logicalDiskProperties: LOGICAL_DISK };
}
