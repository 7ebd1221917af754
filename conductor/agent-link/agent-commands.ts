/** The command API of one agent, as the rest of this room uses it. */
import type { CommandResult } from '@ingot/shared/agent/command.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';

/** Throws IngotError('agentFailure') naming command and cause; never a token. */
export interface AgentCommands {
  post(
    name: string,
    params: JsonObject,
    options: { wait: boolean; timeoutMs?: number },
  ): Promise<CommandResult>;
  get(id: string): Promise<CommandResult | undefined>;
  /** All of this boot, oldest first. */
  list(): Promise<CommandResult[]>;
}

/** The agent did not answer; it may be busy, so this alone fails nothing. */
export class AgentSilence extends IngotError {
  constructor(message: string, options?: ErrorOptions) {
    super('agentFailure', message, options);
  }
}

/** A command that ended badly, in the agent's own words. */
export function commandFailure(name: string, command: CommandResult): IngotError {
  const { message, details, type } = command.error ?? {};
  const text = details ?? message ?? type ?? `it ended as ${command.status} without saying why`;
  return new IngotError('agentFailure', `the agent answered to ${name}: ${text}`);
}
