/** The command API of one agent, as the rest of this room uses it. */
import { IngotError } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { StepProgress } from '../domain/steps.ts';

export interface AgentCommand {
  readonly id: string;
  /** Without its extension prefix. */
  readonly name: string;
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH' | (string & {});
  readonly error: { readonly type?: string; readonly message?: string; readonly details?: string } | null;
  readonly result: Json;
  readonly progress: StepProgress | null;
}

/** Throws IngotError('agentFailure') naming command and cause; never a token. */
export interface AgentCommands {
  post(
    name: string,
    params: JsonObject,
    options: { wait: boolean; timeoutMs?: number },
  ): Promise<AgentCommand>;
  get(id: string): Promise<AgentCommand | undefined>;
  /** All of this boot, oldest first. */
  list(): Promise<AgentCommand[]>;
}

/** The agent did not answer; it may be busy, so this alone fails nothing. */
export class AgentSilence extends IngotError {
  constructor(message: string, options?: ErrorOptions) {
    super('agentFailure', message, options);
  }
}

/** A command that ended badly, in the agent's own words. */
export function commandFailure(name: string, command: AgentCommand): IngotError {
  const { message, details, type } = command.error ?? {};
  const text = details ?? message ?? type ?? `it ended as ${command.status} without saying why`;
  return new IngotError('agentFailure', `the agent answered to ${name}: ${text}`);
}
