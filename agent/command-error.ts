/**
 * The errors of a command in ironic-python-agent's form: `{type, code, message, details}` in a command result,
 * `{faultcode, faultstring}` as the body of an HTTP error.
 */
import type { CommandFailure, CommandFault } from '@ingot/shared/agent/command.ts';

const KINDS = {
  InvalidContentError: { code: 400, message: 'Invalid request body' },
  InvalidCommandError: { code: 400, message: 'Invalid command' },
  InvalidCommandParamsError: { code: 400, message: 'Invalid command parameters' },
  Unauthorized: { code: 401, message: 'Unauthorized' },
  RequestedObjectNotFoundError: { code: 404, message: 'Not found' },
  AgentIsBusy: { code: 409, message: 'Agent is busy' },
  VersionMismatch: {
    code: 409,
    message: 'Hardware managers version mismatch, reload agent with correct version',
  },
  CommandExecutionError: { code: 500, message: 'Command execution failed' },
} as const satisfies Record<string, { readonly code: number; readonly message: string }>;

export type AgentErrorKind = keyof typeof KINDS;

/** The message is the detail: what is wrong with which field, and what to do. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly kind: AgentErrorKind;

  constructor(kind: AgentErrorKind, details: string) {
    super(details);
    this.kind = kind;
  }
}

/** The value of `command_error`. Unexpected errors become a CommandExecutionError. */
export function commandError(error: unknown): Required<CommandFailure> {
  const type = error instanceof AgentError ? error.kind : 'CommandExecutionError';
  return { type, ...KINDS[type], details: error instanceof Error ? error.message : String(error) };
}

export interface Fault {
  readonly status: number;
  readonly body: CommandFault;
}

/** The HTTP answer. Errors of the HTTP framework have their own status. */
export function httpFault(error: unknown): Fault {
  const { code, message, details } = commandError(error);
  const own = (error as { statusCode?: unknown } | null)?.statusCode;
  const status = typeof own === 'number' && own >= 400 && own < 600 ? own : code;
  return {
    status,
    body: {
      side: status >= 500 ? 'Server' : 'Client',
      text: status === code ? `${message}: ${details}` : details,
    },
  };
}
