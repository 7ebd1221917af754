/**
 * Steps that the agent runs: clean and deploy steps of its hardware managers.
 */

import type { StepContext, StepImplementation, StepOutcome } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { OperationKind } from '../domain/operations.ts';
import type { Step } from '../domain/steps.ts';
import { parseGetSteps } from './agent-answers.ts';
import { commandFailure, followCommand } from './agent-command.ts';
import { agentView } from './agent-view.ts';

const EXTENSION: Partial<Record<OperationKind, 'clean' | 'deploy' | 'service'>> = {
  clean: 'clean',
  deploy: 'deploy',
  service: 'service',
};

const STEP_TIMEOUT_MS = 60_000;

function extensionOf(kind: OperationKind): 'clean' | 'deploy' | 'service' {
  const extension = EXTENSION[kind];
  if (extension) return extension;
  throw new IngotError('unsupported', `the agent has no steps for ${kind}`);
}

/** Runs the step at work through `<ext>.execute_<ext>_step`; `args` are made only when it is sent. */
export async function executeInAgent(
  context: StepContext,
  args: () => Promise<JsonObject> | JsonObject,
): Promise<StepOutcome> {
  const extension = extensionOf(context.operation.kind);
  const { interface: on, step, priority } = context.step;
  const followed = await followCommand(context, {
    name: `${extension}.execute_${extension}_step`,
    params: async () => ({
      step: { interface: on, step, priority, args: await args() },
      ...agentView(context.node, context.ports),
      [`${extension}_version`]: context.node.driverInternalInfo['hardware_manager_version'] ?? null,
    }),
    limitMs: context.limits.longCommandMs,
    what: step,
  });
  return followed.kind === 'wait' ? followed : { kind: 'done' };
}

/** The implementation behind every step whose `where` is `agent`. */
export function agentStep(kind: OperationKind): StepImplementation {
  return {
    operation: kind,
    step: 'agent',
    priority: 0,
    abortable: false,
    onRestart: 'resume',
    advance: (context) => executeInAgent(context, () => context.step.args),
  };
}

/**
 * The in-band steps of the agent now running, as steps of `kind`; remembers the version of its
 * hardware managers, which every execute call must carry.
 */
export async function fetchAgentSteps(context: StepContext): Promise<Step[]> {
  const extension = extensionOf(context.operation.kind);
  const name = `${extension}.get_${extension}_steps`;
  const view = agentView(context.node, context.ports);
  const answer = await context.agent.post(name, view, { wait: true, timeoutMs: STEP_TIMEOUT_MS });
  if (answer.status !== 'SUCCEEDED') throw commandFailure(name, answer);
  const { steps, version } = parseGetSteps(extension, answer.result);
  await context.updateNode({
    driverInternalInfo: { ...context.node.driverInternalInfo, hardware_manager_version: version },
  });
  return steps;
}
