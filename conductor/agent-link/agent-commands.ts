/** The command API of one agent, as the other files of this room use it. */
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
  /** All commands since the agent started, oldest first. */
  list(): Promise<CommandResult[]>;
}

/** The agent did not answer. It may be busy, so the caller tries again for some time. */
export class AgentSilence extends IngotError {
  constructor(message: string, options?: ErrorOptions) {
    super('agentFailure', message, options);
  }
}

/** A failed command, with the agent's own error text. */
export function commandFailure(name: string, command: CommandResult): IngotError {
  const { message, details, type } = command.error ?? {};
  const text = details ?? message ?? type ?? `it ended as ${command.status} without saying why`;
  return new IngotError('agentFailure', `the agent answered to ${name}: ${text}`);
}
