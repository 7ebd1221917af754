/**
 * BIOS, RAID, firmware and vendor of fake hardware: steps an operator asks for by name, in cleaning,
 * in a deploy and in service. None runs by itself.
 */
import type { DriverInterface, StepContext } from '../../domain/drivers.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import type { InterfaceType } from '../../domain/node.ts';
import type { OperationKind } from '../../domain/operations.ts';
import type { FakeBehaviour, FakeStep } from './behaviour.ts';

type Named = Omit<FakeStep, 'operation' | 'priority'>;
const EVERYWHERE: readonly OperationKind[] = ['clean', 'deploy', 'service'];

/** The same steps in each of these operations, never automatic. */
const manual = (steps: readonly Named[], operations: readonly OperationKind[]): FakeStep[] =>
  operations.flatMap((operation) => steps.map((step) => ({ ...step, operation, priority: 0 })));

const withSteps = (
  { always, steps }: FakeBehaviour,
  type: InterfaceType,
  offered: readonly FakeStep[],
): DriverInterface => ({ ...always, steps: steps(type, offered) });

/** Merges into driver_internal_info, where drivers keep what they know of a node. */
async function note(context: StepContext, key: string, value: Json): Promise<void> {
  await context.updateNode({ driverInternalInfo: { ...context.node.driverInternalInfo, [key]: value } });
}

const BIOS_SETTINGS = 'fake_bios_settings';

async function applyBios(context: StepContext): Promise<void> {
  const wanted = context.step.args['settings'];
  const present = context.node.driverInternalInfo[BIOS_SETTINGS];
  const named = Array.isArray(wanted) ? wanted.filter((one: Json) => isJsonObject(one)) : [];
  await note(context, BIOS_SETTINGS, {
    ...(isJsonObject(present) ? present : {}),
    ...Object.fromEntries(named.map(({ name, value }) => [String(name), value ?? null])),
  });
}

export function createFakeBios(behaviour: FakeBehaviour): DriverInterface {
  const steps: Named[] = [
    {
      step: 'apply_configuration',
      argsInfo: {
        settings: { description: 'List of BIOS settings, {name, value} each.', required: true },
      },
      effect: applyBios,
    },
    { step: 'factory_reset', effect: (context) => note(context, BIOS_SETTINGS, {}) },
    { step: 'cache_bios_settings' },
  ];
  return withSteps(behaviour, 'bios', manual(steps, EVERYWHERE));
}

export function createFakeRaid(behaviour: FakeBehaviour): DriverInterface {
  const create: Named = {
    step: 'create_configuration',
    argsInfo: {
      create_root_volume: { description: 'Make the root volume, too. Default true.', required: false },
      create_nonroot_volumes: { description: 'Make the other volumes, too. Default true.', required: false },
    },
    effect: (context) => context.updateNode({ raidConfig: context.node.targetRaidConfig }),
  };
  const erase: Named = {
    step: 'delete_configuration',
    effect: (context) => context.updateNode({ raidConfig: {} }),
  };
  const apply: Named = {
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
  return withSteps(behaviour, 'raid', [
    ...manual([create, erase], ['clean', 'service']),
    ...manual([apply], ['clean', 'deploy', 'service']),
  ]);
}

export function createFakeFirmware(behaviour: FakeBehaviour): DriverInterface {
  const update: Named = {
    step: 'update',
    argsInfo: {
      settings: { description: 'List of updates, {component, url} each.', required: true },
    },
  };
  return withSteps(behaviour, 'firmware', manual([update], ['clean', 'service']));
}

export function createFakeVendor(behaviour: FakeBehaviour): DriverInterface {
  return withSteps(behaviour, 'vendor', manual([{ step: 'log_passthrough' }], EVERYWHERE));
}
