/**
 * An agent command as part of a step: sent once and followed to its end, also across a restart.
 *
 * Before a command is sent, the number of commands that the agent knows is stored. After a crash between sending and
 * storing the answer, a longer list shows that the last command is ours.
 */
import type { CommandResult } from '@ingot/shared/agent/command.ts';
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import type { AgentCommandSpec } from '../domain/node-agent.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import { type AgentCommands, AgentSilence, commandFailure } from './agent-commands.ts';

/** How often the progress of a running command is read. Its end is also reported by a heartbeat. */
const POLL_MS = 1_000;
/** An agent that neither answers nor sends heartbeats for this long is lost. */
const LOST_MS = 300_000;

/** What a step needs to follow a command. */
export type FollowingContext = Pick<StepContext, 'step' | 'now' | 'remember' | 'progress' | 'heartbeatSince'>;

interface Sent {
  readonly startedAt: Date;
  readonly before: number;
  readonly id: string | null;
}

function sentFrom(memo: JsonObject): Sent | undefined {
  const sent = memo['command'];
  if (!isJsonObject(sent)) return undefined;
  const { startedAt, before, id } = sent;
  return {
    startedAt: new Date(String(startedAt)),
    before: Number(before),
    id: typeof id === 'string' ? id : null,
  };
}

/** Sends the command if that was not done yet, and returns its state. Throws agentFailure if it failed or is lost. */
export async function followCommand(
  context: FollowingContext,
  agent: AgentCommands,
  spec: AgentCommandSpec,
): Promise<StepOutcome> {
  const sent = sentFrom(context.step.memo) ?? (await intend(context, agent));
  const waiting = (): StepOutcome => ({
    kind: 'wait',
    waitingFor: { kind: 'command', text: spec.what },
    wakeAt: new Date(context.now().getTime() + POLL_MS),
    deadline: new Date(sent.startedAt.getTime() + spec.limitMs),
    overdue: `agent command ${spec.name} did not end within ${spec.limitMs / 1000} s`,
  });
  try {
    const command =
      sent.id === null ? await send(context, agent, spec, sent) : await find(agent, spec, sent.id);
    if (command.progress !== null) await context.progress(command.progress);
    if (command.status === 'RUNNING') return waiting();
    if (command.status !== 'SUCCEEDED') throw commandFailure(spec.name, command);
    await spec.finished?.(command.result);
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof AgentSilence && !isLost(context, sent)) return waiting();
    throw error;
  }
}

/** A command without arguments that ends at once. Throws agentFailure if it fails or the agent is silent. */
export async function callCommand(agent: AgentCommands, name: string, limitMs: number): Promise<void> {
  const answer = await agent.post(name, {}, { wait: true, timeoutMs: limitMs });
  if (answer.status !== 'SUCCEEDED') throw commandFailure(name, answer);
}

async function intend(context: FollowingContext, agent: AgentCommands): Promise<Sent> {
  const before = (await agent.list()).length;
  const startedAt = context.now();
  await context.remember({ command: { startedAt: startedAt.toISOString(), before, id: null } });
  return { startedAt, before, id: null };
}

async function send(
  context: FollowingContext,
  agent: AgentCommands,
  spec: AgentCommandSpec,
  sent: Sent,
): Promise<CommandResult> {
  const known = await agent.list();
  const ours = known.length > sent.before ? known.at(-1) : undefined;
  const command = ours ?? (await agent.post(spec.name, await spec.params(), { wait: false }));
  await context.remember({
    command: { startedAt: sent.startedAt.toISOString(), before: sent.before, id: command.id },
  });
  return command;
}

async function find(agent: AgentCommands, spec: AgentCommandSpec, id: string): Promise<CommandResult> {
  const command = await agent.get(id);
  if (command) return command;
  throw new IngotError(
    'agentFailure',
    `the agent no longer knows command ${spec.name}: it has restarted in the middle`,
  );
}

function isLost(context: FollowingContext, sent: Sent): boolean {
  const heard = context.heartbeatSince(sent.startedAt) ?? sent.startedAt;
  return context.now().getTime() - heard.getTime() > LOST_MS;
}
