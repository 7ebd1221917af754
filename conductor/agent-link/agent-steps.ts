/**
 * Steps that the agent runs: clean, deploy and service steps of its hardware managers.
 */
import {
  type AgentStepInfo,
  decodeStepList,
  encodeStepExecution,
  executeStepCommand,
  getStepsCommand,
  type StepExtension,
} from '@ingot/shared/agent/steps.ts';
import type { StepContext } from '../domain/drivers.ts';
import { eraseMemo } from '../domain/erase-check.ts';
import { IngotError } from '../domain/errors.ts';
import { INTERFACE_TYPES } from '../domain/node.ts';
import type { AgentArguments } from '../domain/node-agent.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { Step } from '../domain/steps.ts';
import { type AgentCommands, AgentSilence, commandFailure } from './agent-commands.ts';
import { followCommand } from './command-following.ts';
import { nodeView } from './node-view.ts';

const STEP_TIMEOUT_MS = 60_000;
/** How long an agent that sends heartbeats may be unreachable. */
const REACH_LIMIT_MS = 120_000;
const RETRY_MS = 2_000;

function extensionOf(kind: OperationKind): StepExtension {
  const { agentExtension: extension } = OPERATIONS[kind];
  if (extension !== undefined) return extension;
  throw new IngotError('unsupported', `the agent has no steps for ${kind}`);
}

/** Runs the current step by `<ext>.execute_<ext>_step`. `args` is called only when the command is sent. */
export async function executeStep(
  context: StepContext,
  agent: AgentCommands,
  args: AgentArguments,
): Promise<StepOutcome> {
  const extension = extensionOf(context.operation.kind);
  const { interface: on, step, priority } = context.step;
  return followCommand(context, agent, {
    name: executeStepCommand(extension),
    params: async () =>
      encodeStepExecution(extension, {
        interface: on,
        step,
        priority,
        args: await args(),
        ...nodeView(context.node, context.ports),
        version: context.node.driverInternalInfo['hardware_manager_version'] ?? null,
      }),
    limitMs: context.limits.longCommandMs,
    what: step,
    async finished(result) {
      const memo = eraseMemo(step, result);
      if (memo !== undefined) await context.remember(memo);
    },
  });
}

/** The in-band steps of the running agent. It may take a while until the conductor can reach it. */
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
      waitingFor: { kind: 'agent', text: 'agent to answer' },
      deadline: new Date(Date.parse(String(context.step.memo['silentSince'])) + REACH_LIMIT_MS),
      wakeAt: new Date(context.now().getTime() + RETRY_MS),
      overdue: `${error.message}: it sends heartbeats but the conductor cannot reach it; a firewall may be in between`,
    };
  }
}

/** Stores the version of the hardware managers, which every execute call must contain. */
async function fetchSteps(context: StepContext, agent: AgentCommands): Promise<Step[]> {
  const extension = extensionOf(context.operation.kind);
  const name = getStepsCommand(extension);
  const view = nodeView(context.node, context.ports);
  const answer = await agent.post(name, view, { wait: true, timeoutMs: STEP_TIMEOUT_MS });
  if (answer.status !== 'SUCCEEDED') throw commandFailure(name, answer);
  const decoded = decodeStepList(extension, answer.result);
  if (!decoded.ok) throw new IngotError('agentFailure', `the agent's answer to ${name} ${decoded.reason}`);
  const { steps, version } = decoded.value;
  await context.updateNode({
    driverInternalInfo: { ...context.node.driverInternalInfo, hardware_manager_version: version },
  });
  return steps.map(domainStep);
}

/** A step that was left out might be the one that erases a disk, so an unknown interface is an error. */
function domainStep(info: AgentStepInfo): Step {
  const { step, priority, abortable } = info;
  const on = INTERFACE_TYPES.find((type) => type === info.interface);
  if (on === undefined) {
    throw new IngotError(
      'agentFailure',
      `the agent has the step "${step}" of the unknown interface "${info.interface}"`,
    );
  }
  return { interface: on, step, args: {}, priority, where: 'agent', abortable };
}
