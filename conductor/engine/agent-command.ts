/**
 * An agent command as part of a step: sent once, followed to its end, also across a restart.
 *
 * Before a command is sent the number of commands the agent knows is stored; after a crash
 * between sending and storing the answer, a longer list says that the last one is ours.
 */
import type { AgentCommand, StepContext, StepOutcome } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';

export interface CommandSpec {
  /** With its extension: `deploy.execute_deploy_step`. */
  readonly name: string;
  /** Made only when the command is about to be sent. */
  readonly params: () => Promise<JsonObject> | JsonObject;
  readonly limitMs: number;
  /** Shown to operators while it runs. */
  readonly what: string;
}

/** How often a running command is asked for its progress; its end comes as a heartbeat anyway. */
const POLL_MS = 1_000;
/** An agent that neither answers nor heartbeats for this long is lost. */
const LOST_MS = 300_000;

type Followed =
  | { readonly kind: 'ended'; readonly command: AgentCommand }
  | Extract<StepOutcome, { kind: 'wait' }>;

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

/** Sends the command if that was not done yet, and says where it stands. Throws agentFailure if it failed or is lost. */
export async function followCommand(context: StepContext, spec: CommandSpec): Promise<Followed> {
  const sent = sentFrom(context.step.memo) ?? (await intend(context));
  const waiting = (): Followed => ({
    kind: 'wait',
    what: spec.what,
    wakeAt: new Date(context.now().getTime() + POLL_MS),
    deadline: new Date(sent.startedAt.getTime() + spec.limitMs),
    overdue: `agent command ${spec.name} did not end within ${spec.limitMs / 1000} s`,
  });
  try {
    const command = sent.id === null ? await send(context, spec, sent) : await find(context, spec, sent.id);
    if (command.progress !== null) await context.progress(command.progress);
    if (command.status === 'RUNNING') return waiting();
    if (command.status !== 'SUCCEEDED') throw commandFailure(spec.name, command);
    return { kind: 'ended', command };
  } catch (error) {
    if (error instanceof AgentSilence && !isLost(context, sent)) return waiting();
    throw error;
  }
}

/** The agent did not answer; it may be busy, so this alone fails nothing. */
export class AgentSilence extends IngotError {
  constructor(message: string, options?: ErrorOptions) {
    super('agentFailure', message, options);
  }
}

async function intend(context: StepContext): Promise<Sent> {
  const before = (await context.agent.list()).length;
  const startedAt = context.now();
  await context.remember({ command: { startedAt: startedAt.toISOString(), before, id: null } });
  return { startedAt, before, id: null };
}

async function send(context: StepContext, spec: CommandSpec, sent: Sent): Promise<AgentCommand> {
  const known = await context.agent.list();
  const ours = known.length > sent.before ? known.at(-1) : undefined;
  const command = ours ?? (await context.agent.post(spec.name, await spec.params(), { wait: false }));
  await context.remember({
    command: { startedAt: sent.startedAt.toISOString(), before: sent.before, id: command.id },
  });
  return command;
}

async function find(context: StepContext, spec: CommandSpec, id: string): Promise<AgentCommand> {
  const command = await context.agent.get(id);
  if (command) return command;
  throw new IngotError(
    'agentFailure',
    `the agent no longer knows command ${spec.name}: it has restarted in the middle`,
  );
}

function isLost(context: StepContext, sent: Sent): boolean {
  const heard = context.heartbeatSince(sent.startedAt) ?? sent.startedAt;
  return context.now().getTime() - heard.getTime() > LOST_MS;
}

/** A command that ended badly, in the agent's own words. */
export function commandFailure(name: string, command: AgentCommand): IngotError {
  const { message, details, type } = command.error ?? {};
  const text = details ?? message ?? type ?? `it ended as ${command.status} without saying why`;
  return new IngotError('agentFailure', `the agent answered to ${name}: ${text}`);
}
