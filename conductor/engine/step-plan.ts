/**
 * The first steps of a verb: automatic ones, those of deploy templates, those of the request.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { parseInstanceInfo } from '../domain/instance-info.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations.ts';
import { nameOf, opens, overrideSteps, type Step, sameStep } from '../domain/steps.ts';
import { VERBS, type VerbSpec } from '../domain/verbs.ts';
import { isReservedStep } from './conductor-steps.ts';
import type { EngineDeps } from './deps.ts';
import type { ProvisionRequest } from './engine.ts';
import { framedSteps, operationSteps, parseSteps, refuseAgentSteps } from './operation-steps.ts';

export interface StepPlan {
  readonly steps: readonly Step[];
  /** What the runner must know about the selection. */
  readonly args: JsonObject;
}

type PlanDeps = Pick<EngineDeps, 'store' | 'settings'>;

/**
 * Throws unsupported when the driver has no steps for the verb, invalidParameter for steps that neither driver nor
 * agent can have.
 */
export async function planSteps(
  deps: PlanDeps,
  hardware: Hardware,
  node: Node,
  request: ProvisionRequest,
  kind: OperationKind,
): Promise<StepPlan> {
  const plan = await PLANS[VERBS[request.verb].steps ?? 'automatic']({
    ...deps,
    hardware,
    node,
    request,
    kind,
  });
  if (plan.steps.length === 0 && !OPERATIONS[kind].mayBeEmpty) {
    throw new IngotError(
      'unsupported',
      `Driver "${node.driver}" of node ${node.uuid} does not support "${request.verb}" with its present interfaces.`,
    );
  }
  return plan;
}

interface PlanInput extends PlanDeps {
  readonly hardware: Hardware;
  readonly node: Node;
  readonly request: ProvisionRequest;
  readonly kind: OperationKind;
}

const PLANS: Readonly<
  Record<NonNullable<VerbSpec['steps']>, (input: PlanInput) => StepPlan | Promise<StepPlan>>
> = { automatic: automaticPlan, merged: mergedPlan, given: givenPlan };

function automaticPlan({ hardware, node, kind, settings }: PlanInput): StepPlan {
  return { steps: operationSteps(hardware, node, kind, settings), args: {} };
}

/** Only the steps of the request, in the given order. */
function givenPlan({ hardware, request, kind }: PlanInput): StepPlan {
  const { disableRamdisk = false } = request;
  const { field, entries } = requestedSteps(request, kind);
  const chosen = parseSteps(field, entries, hardware, { kind, order: 'as given' });
  if (chosen.length === 0) {
    throw new IngotError('missingParameter', `${request.verb} needs at least one step in "${field}".`);
  }
  const steps = framedSteps(hardware, kind, chosen, { disableRamdisk });
  if (disableRamdisk) refuseAgentSteps(hardware, kind, steps, 'disable_ramdisk keeps the agent away');
  else if (!steps.some(opens)) {
    const { name } = hardware.deploy;
    refuseAgentSteps(hardware, kind, steps, `its deploy interface "${name}" boots no agent for ${kind}`);
  }
  return { steps, args: { manual: true } };
}

const REQUESTED = { clean: 'cleanSteps', deploy: 'deploySteps', service: 'serviceSteps' } as const;

function requestedSteps(request: ProvisionRequest, kind: OperationKind) {
  const { agentExtension: extension } = OPERATIONS[kind];
  if (extension === undefined) throw new TypeError(`operators name no steps of ${kind}`);
  return { field: `${extension}_steps`, entries: request[REQUESTED[extension]] ?? [] };
}

/** Automatic steps, then those of deploy templates, then those of the request; later ones override earlier ones. */
async function mergedPlan(input: PlanInput): Promise<StepPlan> {
  const { hardware, node, request, kind, settings } = input;
  const { field, entries } = requestedSteps(request, kind);
  const asked = parseSteps(field, entries, hardware, { kind, order: 'by priority' });
  refuseTwice(field, asked);
  const chosen = overrideSteps(await templateSteps(input), asked);
  // The agent's own steps are not known yet, so the disabled ones must be stored.
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

/** Priorities decide the order of a deployment's steps, so each step can be given only once. */
function refuseTwice(field: string, steps: readonly Step[]): void {
  const twice = steps.find(
    (step, index) => !isReservedStep(step.step) && steps.findIndex((one) => sameStep(one, step)) < index,
  );
  if (twice === undefined) return;
  throw new IngotError('invalidParameter', `${field}: the step ${nameOf(twice)} is there twice.`);
}

/** The steps of deploy templates that are named like a trait of the instance. */
async function templateSteps({ store, hardware, node, kind }: PlanInput): Promise<Step[]> {
  let steps: Step[] = [];
  for (const trait of parseInstanceInfo(node.instanceInfo).traits) {
    const template = await store.deployTemplates.find(trait);
    if (template === undefined) continue;
    const field = `deploy template ${template.name}: steps`;
    steps = overrideSteps(steps, parseSteps(field, template.steps, hardware, { kind, order: 'by priority' }));
  }
  return steps;
}
