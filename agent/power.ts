/**
 * The end of the ramdisk: flush, then power off or reboot. The kernel's own emergency keys stand in
 * when the programs fail.
 */
import { writeFile } from 'node:fs/promises';
import type { Run } from './exec/run.ts';
import type { Log } from './log.ts';

/** The answer to the command still has to get out. */
const ANSWER_MS = 1_000;
const SYNC_TIMEOUT_MS = 600_000;

export interface PowerDeps {
  readonly run: Run;
  readonly log: Log;
}

export async function syncDisks(run: Run): Promise<void> {
  await run('sync', [], { timeoutMs: SYNC_TIMEOUT_MS });
}

export async function powerOff(deps: PowerDeps, sysrq?: string): Promise<void> {
  await syncDisks(deps.run);
  leave(deps, 'poweroff', 'o', sysrq);
}

export async function reboot(deps: PowerDeps, sysrq?: string): Promise<void> {
  await syncDisks(deps.run);
  leave(deps, 'reboot', 'b', sysrq);
}

function leave(
  { run, log }: PowerDeps,
  program: string,
  key: 'o' | 'b',
  sysrq = '/proc/sysrq-trigger',
): void {
  const go = async (): Promise<void> => {
    try {
      // First process is the ramdisk's init script, which takes no orders: -f asks the kernel itself.
      await run(program, ['-f']);
    } catch (error) {
      log.warn(`${(error as Error).message}; asking the kernel by SysRq`);
      await writeFile(sysrq, key);
    }
  };
  setTimeout(() => {
    go().catch((error: Error) => log.error(`${program} is not possible: ${error.message}`));
  }, ANSWER_MS);
}
