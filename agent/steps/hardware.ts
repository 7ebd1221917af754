/** The environment of commands and steps: programs, settings and the machine they run on. */
import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import type { BootIdentity } from '../boot-trust.ts';
import type { AgentConfig } from '../config.ts';
import type { Run } from '../exec/run.ts';
import type { Disk } from '../inventory/disks.ts';
import type { Log } from '../log.ts';

export interface Hardware {
  readonly run: Run;
  readonly config: AgentConfig;
  readonly log: Log;
  readonly listDisks: () => Promise<Disk[]>;
  readonly written: WrittenDisk;
  /** The conductor that booted this machine, once the start sequence has read it; null for other conductors. */
  trust: BootIdentity | null;
}

/** The disk that the last image was written to since this agent started. */
export interface WrittenDisk {
  device: string | undefined;
}

/** The environment of the running command. */
export interface CommandContext {
  readonly hardware: Hardware;
  readonly signal: AbortSignal;
  readonly progress: (progress: CommandProgress) => void;
  /** The node as the conductor sent it, in this command or at lookup. */
  readonly node: Readonly<Record<string, unknown>>;
}
