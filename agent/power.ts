/**
 * The end of the ramdisk: flush, then power off or reboot. The kernel's own emergency keys stand in
 * when the programs fail.
 */
import { writeFile } from 'node:fs/promises';
import type { Run } from './exec/run.ts';

/** The answer to the command still has to get out. */
const ANSWER_MS = 1_000;

export async function syncDisks(run: Run): Promise<void> {
  await run('sync', [], { timeoutMs: 600_000 });
}

export async function powerOff(run: Run): Promise<void> {
  await syncDisks(run);
  leave(run, 'poweroff', 'o');
}

export async function reboot(run: Run): Promise<void> {
  await syncDisks(run);
  leave(run, 'reboot', 'b');
}

function leave(run: Run, program: string, key: 'o' | 'b'): void {
  setTimeout(() => {
    // First process is the ramdisk's init script, which takes no orders: -f asks the kernel itself.
    run(program, ['-f']).catch(() => writeFile('/proc/sysrq-trigger', key).catch(() => undefined));
  }, ANSWER_MS);
}
