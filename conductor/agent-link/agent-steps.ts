/**
 * Steps that the agent runs: clean, deploy and service steps of its hardware managers.
 */
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { AgentArguments } from '../domain/node-agent.ts';
import type { OperationKind } from '../domain/operations.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { Step } from '../domain/steps.ts';
import { type AgentCommands, AgentSilence, commandFailure } from './agent-commands.ts';
import { followCommand } from './command-following.ts';
import { agentView } from './node-view.ts';
import { parseGetSteps, type StepExtension } from './step-list.ts';

const EXTENSION: Partial<Record<OperationKind, StepExtension>> = {
  clean: 'clean',
  deploy: 'deploy',
  service: 'service',
};

const STEP_TIMEOUT_MS = 60_000;
/** How long an agent that sends heartbeats may be out of reach. */
const REACH_LIMIT_MS = 120_000;
const RETRY_MS = 2_000;

function extensionOf(kind: OperationKind): StepExtension {
  const extension = EXTENSION[kind];
  if (extension) return extension;
  throw new IngotError('unsupported', `the agent has no steps for ${kind}`);
}

/** Runs the step at work through `<ext>.execute_<ext>_step`; `args` are made only when it is sent. */
export async function executeStep(
  context: StepContext,
  agent: AgentCommands,
  args: AgentArguments,
): Promise<StepOutcome> {
  const extension = extensionOf(context.operation.kind);
  const { interface: on, step, priority } = context.step;
  return followCommand(context, agent, {
    name: `${extension}.execute_${extension}_step`,
    params: async () => ({
      step: { interface: on, step, priority, args: await args() },
      ...agentView(context.node, context.ports),
      [`${extension}_version`]: context.node.driverInternalInfo['hardware_manager_version'] ?? null,
    }),
    limitMs: context.limits.longCommandMs,
    what: step,
  });
}

/** The in-band steps of the agent now running; it may take a while until the conductor reaches it. */
export async function learnSteps(context: StepContext, agent: AgentCommands): Promise<StepOutcome> {
  try {
    return { kind: 'done', insert: await fetchSteps(context, agent) };
  } catch (error) {
    if (!(error instanceof AgentSilence)) throw error;
    if (context.step.memo['silentSince'] === undefined) {
      await context.remember({ silentSince: context.now().toISOString() });
    }
    return {
      kind: 'wait',
      what: 'agent to answer',
      deadline: new Date(Date.parse(String(context.step.memo['silentSince'])) + REACH_LIMIT_MS),
      wakeAt: new Date(context.now().getTime() + RETRY_MS),
      overdue: `${error.message}: it sends heartbeats but the conductor cannot reach it; a firewall may be in between`,
    };
  }
}

/** Remembers the version of its hardware managers, which every execute call must carry. */
async function fetchSteps(context: StepContext, agent: AgentCommands): Promise<Step[]> {
  const extension = extensionOf(context.operation.kind);
  const name = `${extension}.get_${extension}_steps`;
  const view = agentView(context.node, context.ports);
  const answer = await agent.post(name, view, { wait: true, timeoutMs: STEP_TIMEOUT_MS });
  if (answer.status !== 'SUCCEEDED') throw commandFailure(name, answer);
  const { steps, version } = parseGetSteps(extension, answer.result);
  await context.updateNode({
    driverInternalInfo: { ...context.node.driverInternalInfo, hardware_manager_version: version },
  });
  return steps;
}
