/**
 * Which steps a verb starts with: automatic ones, those of deploy templates, those of the request.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import type { OperationKind } from '../domain/operations.ts';
import { nameOf, opens, overrideSteps, type Step, sameStep } from '../domain/steps.ts';
import { isReservedStep } from './conductor-steps.ts';
import type { EngineDeps } from './deps.ts';
import type { ProvisionRequest } from './engine.ts';
import { manualSteps, operationSteps, parseSteps, refuseAgentSteps } from './operation-steps.ts';

export interface StepPlan {
  readonly steps: readonly Step[];
  /** What the runner must know of how they were chosen. */
  readonly args: JsonObject;
}

type PlanDeps = Pick<EngineDeps, 'store' | 'settings'>;

/** Throws unsupported when the driver has nothing for the verb, invalidParameter for steps nobody knows. */
export async function planSteps(
  deps: PlanDeps,
  hardware: Hardware,
  node: Node,
  request: ProvisionRequest,
  kind: OperationKind,
): Promise<StepPlan> {
  const plan =
    request.verb === 'clean'
      ? manualPlan(hardware, request, 'clean', request.cleanSteps)
      : request.verb === 'service'
        ? manualPlan(hardware, request, 'service', request.serviceSteps)
        : await automaticPlan(deps, hardware, node, request, kind);
  if (plan.steps.length === 0 && kind !== 'clean') {
    throw new IngotError(
      'unsupported',
      `Driver "${node.driver}" of node ${node.uuid} does not support "${request.verb}" with its present interfaces.`,
    );
  }
  return plan;
}

function manualPlan(
  hardware: Hardware,
  request: ProvisionRequest,
  kind: 'clean' | 'service',
  entries: readonly JsonObject[] = [],
): StepPlan {
  const { disableRamdisk = false } = request;
  const chosen = parseSteps(`${kind}_steps`, entries, hardware, kind);
  if (chosen.length === 0) {
    throw new IngotError('missingParameter', `${request.verb} needs at least one step in "${kind}_steps".`);
  }
  const steps = manualSteps(hardware, kind, chosen, { disableRamdisk });
  if (disableRamdisk) refuseAgentSteps(hardware, kind, steps, 'disable_ramdisk keeps the agent away');
  else if (!steps.some(opens)) {
    const { name } = hardware.deploy;
    refuseAgentSteps(hardware, kind, steps, `its deploy interface "${name}" boots no agent for ${kind}`);
  }
  return { steps, args: { manual: true } };
}

/** Built-in steps, then those of deploy templates, then those of the request; each overrides the ones before. */
async function automaticPlan(
  { store, settings }: PlanDeps,
  hardware: Hardware,
  node: Node,
  request: ProvisionRequest,
  kind: OperationKind,
): Promise<StepPlan> {
  if (kind !== 'deploy') return { steps: operationSteps(hardware, node, kind, settings), args: {} };
  const asked = parseSteps('deploy_steps', request.deploySteps ?? [], hardware, kind);
  refuseTwice(asked);
  const chosen = overrideSteps(await templateSteps(store, hardware, node), asked);
  // The agent's own steps are not known yet: what is taken out of them must be remembered.
  const disabledSteps = chosen
    .filter((step) => step.priority === 0 && step.where === 'agent')
    .map((step) => nameOf(step));
  if (hardware.deploy.withoutAgent) {
    const { name } = hardware.deploy;
    refuseAgentSteps(hardware, kind, chosen, `its deploy interface "${name}" boots no agent`);
  }
  return {
    steps: operationSteps(hardware, node, kind, settings, chosen),
    args: disabledSteps.length > 0 ? { disabledSteps } : {},
  };
}

/** The order of a deploy's steps follows from their priorities, so a step can only be given one. */
function refuseTwice(steps: readonly Step[]): void {
  const twice = steps.find(
    (step, index) => !isReservedStep(step.step) && steps.findIndex((one) => sameStep(one, step)) < index,
  );
  if (twice === undefined) return;
  throw new IngotError('invalidParameter', `deploy_steps: the step ${nameOf(twice)} is there twice.`);
}

/** Of the deploy templates named like a trait the instance asks for. */
async function templateSteps(store: PlanDeps['store'], hardware: Hardware, node: Node): Promise<Step[]> {
  const { traits } = node.instanceInfo;
  let steps: Step[] = [];
  for (const trait of Array.isArray(traits) ? traits : []) {
    const template = typeof trait === 'string' ? await store.deployTemplates.find(trait) : undefined;
    if (template === undefined) continue;
    const field = `deploy template ${template.name}: steps`;
    steps = overrideSteps(steps, parseSteps(field, template.steps, hardware, 'deploy'));
  }
  return steps;
}
