/**
 * Ends the ramdisk: flushes the disks, then powers off or reboots. If the program fails, the kernel's SysRq interface
 * is used.
 */
import { writeFile } from 'node:fs/promises';
import type { Run } from './exec/run.ts';
import type { Log } from './log.ts';

/** Time to send the answer to the command. */
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
  endAfterAnswer(deps, 'poweroff', 'o', sysrq);
}

export async function reboot(deps: PowerDeps, sysrq?: string): Promise<void> {
  await syncDisks(deps.run);
  endAfterAnswer(deps, 'reboot', 'b', sysrq);
}

function endAfterAnswer(
  { run, log }: PowerDeps,
  program: string,
  key: 'o' | 'b',
  sysrq = '/proc/sysrq-trigger',
): void {
  const go = async (): Promise<void> => {
    try {
      // -f asks the kernel directly, because process 1 is the ramdisk's init script and not an init system.
      await run(program, ['-f']);
    } catch (error) {
      log.warn(`${(error as Error).message}; asking the kernel by SysRq`);
      await writeFile(sysrq, key);
    }
  };
  setTimeout(() => {
    go().catch((error: Error) => log.error(`${program} failed: ${error.message}`));
  }, ANSWER_MS);
}
