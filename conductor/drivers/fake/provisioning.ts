/**
 * Deploy, inspect and rescue of fake hardware, with the network and storage that they use.
 */
import { cleanUpBoot, prepareInstance } from '../../domain/boot-work.ts';
import type { DriverInterface, StepContext } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import type { InterfaceType } from '../../domain/node.ts';
import type { StepOutcome } from '../../domain/step-outcome.ts';
import type { FakeBehaviour } from './behaviour.ts';

/** Actions of other interfaces of the node during a step, if they are fake, too. */
const involving =
  ({ act }: FakeBehaviour) =>
  async (context: StepContext, type: InterfaceType, action: string): Promise<void> => {
    if (context.hardware.all[type].name === 'fake') await act(context, type, action);
  };

export function createFakeDeploy(behaviour: FakeBehaviour): DriverInterface {
  const involve = involving(behaviour);

  async function deploy(context: StepContext): Promise<StepOutcome> {
    await involve(context, 'network', 'configure_tenant_networks');
    await involve(context, 'storage', 'attach_volumes');
    await involve(context, 'boot', 'prepare_instance');
    const prepared = await prepareInstance(context);
    if (prepared.kind !== 'done') return prepared;
    await context.setPower('power on');
    return { kind: 'done' };
  }

  async function tearDown(context: StepContext): Promise<StepOutcome> {
    await context.setPower(context.node.disablePowerOff ? 'rebooting' : 'power off');
    await involve(context, 'storage', 'detach_volumes');
    await involve(context, 'network', 'unconfigure_tenant_networks');
    const cleaned = await cleanUpBoot(context);
    if (cleaned.kind !== 'done') return cleaned;
    await context.updateNode({ instanceInfo: {}, instanceUuid: null });
    return { kind: 'done' };
  }

  return {
    ...behaviour.always,
    withoutAgent: true,
    steps: behaviour.steps('deploy', [
      { operation: 'deploy', step: 'deploy', priority: 100, effect: deploy },
      { operation: 'delete', step: 'tear_down', priority: 100, effect: tearDown },
      { operation: 'clean', step: 'erase_devices_metadata', priority: 99 },
      { operation: 'clean', step: 'erase_devices', priority: 10 },
    ]),
  };
}

export function createFakeInspect({ always, steps }: FakeBehaviour): DriverInterface {
  return {
    ...always,
    steps: steps('inspect', [
      {
        operation: 'inspect',
        step: 'inspect_hardware',
        priority: 100,
        effect: (context) => context.updateNode({ inspectionFinishedAt: context.now() }),
      },
    ]),
  };
}

export function createFakeRescue(behaviour: FakeBehaviour): DriverInterface {
  return {
    ...behaviour.always,
    steps: behaviour.steps('rescue', [
      {
        operation: 'rescue',
        step: 'rescue',
        priority: 100,
        async effect(context) {
          // A real ramdisk would set this password for its user; here only its presence is checked.
          if (typeof context.operation.args['rescuePassword'] !== 'string') {
            throw new IngotError('missingParameter', 'the rescue password is no longer stored');
          }
          await context.setPower('rebooting');
        },
      },
      {
        operation: 'unrescue',
        step: 'unrescue',
        priority: 100,
        effect: (context) => context.setPower('rebooting'),
      },
    ]),
  };
}
