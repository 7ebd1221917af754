/**
 * Commands between a conductor and the agent (ironic-python-agent's API, features D.1 and D.2).
 */
export type CommandStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH';

export interface CommandError {
  readonly type: string;
  readonly code: number;
  readonly message: string;
  readonly details: string;
}

/** Our own addition to a running command; other conductors pass over it. */
export interface CommandProgress {
  readonly phase: string;
  readonly bytes_done: number;
  readonly bytes_total: number | null;
  readonly bytes_per_second: number | null;
}

export interface CommandResult {
  readonly id: string;
  /** Without its extension. */
  readonly command_name: string;
  readonly command_status: CommandStatus;
  readonly command_error: CommandError | null;
  readonly command_result: unknown;
  readonly command_progress?: CommandProgress;
}

/** A step as `get_clean_steps` and `get_deploy_steps` list it. */
export interface AgentStepInfo {
  readonly step: string;
  readonly priority: number;
  readonly interface: string;
  readonly reboot_requested: boolean;
  readonly abortable: boolean;
  readonly argsinfo?: Readonly<Record<string, { readonly description: string; readonly required: boolean }>>;
}
