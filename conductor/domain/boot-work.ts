/**
 * The work of a boot interface inside a step. Its memo is stored in the step's memo under the name of the work.
 */
import type { BootContext, InstanceBoot, StepContext } from './drivers.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { WorkOutcome } from './step-outcome.ts';

type BootWork = 'prepare_ramdisk' | 'prepare_instance' | 'clean_up';

export const prepareRamdisk = (step: StepContext, kernelParams: JsonObject): Promise<WorkOutcome> =>
  step.hardware.boot.prepareRamdisk(
    contextOf(step, 'prepare_ramdisk'),
    memoOf(step, 'prepare_ramdisk'),
    kernelParams,
  );

export const prepareInstance = (
  step: StepContext,
  options: InstanceBoot = { isRunning: false },
): Promise<WorkOutcome> =>
  step.hardware.boot.prepareInstance(
    contextOf(step, 'prepare_instance'),
    memoOf(step, 'prepare_instance'),
    options,
  );

export const cleanUpBoot = (step: StepContext): Promise<WorkOutcome> =>
  step.hardware.boot.cleanUp(contextOf(step, 'clean_up'), memoOf(step, 'clean_up'));

const keyOf = (work: BootWork): string => `boot.${work}`;

function memoOf(step: StepContext, work: BootWork): JsonObject {
  const memo = step.step.memo[keyOf(work)];
  return isJsonObject(memo) ? memo : {};
}

/** Getters, because the node changes during the work. */
function contextOf(step: StepContext, work: BootWork): BootContext {
  return {
    get node() {
      return step.node;
    },
    ports: step.ports,
    signal: step.signal,
    now: () => step.now(),
    management: step.hardware.management,
    remember: (memo) => step.remember({ [keyOf(work)]: { ...memoOf(step, work), ...memo } }),
    updateNode: (patch) => step.updateNode(patch),
    setPower: (target) => step.setPower(target),
  };
}
