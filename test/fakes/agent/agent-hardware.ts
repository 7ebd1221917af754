/** The hardware of an agent under test. Programs print what the test specifies, and the log is kept in memory. */
import { setImmediate as turn } from 'node:timers/promises';
import { parseCommandLine } from '@ingot/agent/config.ts';
import type { Run } from '@ingot/agent/exec/run.ts';
import type { Disk } from '@ingot/agent/inventory/disks.ts';
import { createLog } from '@ingot/agent/log.ts';
import type { Hardware } from '@ingot/agent/steps/hardware.ts';

export interface AgentHardware extends Hardware {
  /** Programs that ran, with their arguments. Each takes a turn of the event loop, so what nobody waits for is late. */
  readonly started: readonly (readonly string[])[];
}

export function createAgentHardware(options: {
  readonly commandLine?: string;
  readonly disks?: readonly Disk[];
  /** `program arg arg` (or its beginning) -> its output, or the error with which it ends. Other programs print nothing. */
  readonly outputs?: Readonly<Record<string, string | Error>>;
}): AgentHardware {
  const started: string[][] = [];
  const outputs = Object.entries(options.outputs ?? {});
  const run: Run = async (program, args) => {
    await turn();
    started.push([program, ...args]);
    const line = [program, ...args].join(' ');
    const [, output] = outputs.find(([beginning]) => line.startsWith(beginning)) ?? [];
    if (output instanceof Error) throw output;
    return output ?? '';
  };
  return {
    run,
    started,
    config: parseCommandLine(options.commandLine ?? '').config,
    log: createLog(() => undefined),
    listDisks: async () => [...(options.disks ?? [])],
    written: { device: undefined },
    trust: null,
  };
}
