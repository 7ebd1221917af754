/**
 * Sets the clock of the machine from the conductor's answer. Nothing that the agent trusts depends on the clock; it is
 * set so that file systems, logs and the new operating system begin with the right time.
 */
import type { Run } from './exec/run.ts';
import type { Log } from './log.ts';

/** HTTP dates have whole seconds. */
const TOLERATED_MS = 5_000;

/** A clock that cannot be set is only a warning. */
export async function setClock(
  { run, log }: { readonly run: Run; readonly log: Log },
  time: Date | null,
  now = Date.now(),
): Promise<void> {
  if (time === null || Math.abs(time.getTime() - now) <= TOLERATED_MS) return;
  try {
    await run('date', ['-u', '-s', `@${Math.floor(time.getTime() / 1000)}`]);
    log.info(`the clock said ${new Date(now).toISOString()} and is now set to ${time.toISOString()}`);
  } catch (error) {
    log.warn(`the clock is wrong and could not be set: ${(error as Error).message}`);
  }
}
