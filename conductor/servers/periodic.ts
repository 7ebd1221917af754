/**
 * Repeats work until the signal aborts. A failure is logged, and the work is tried again the next time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../domain/logger.ts';

export async function runPeriodically(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      logger.error({ err: error }, `${name} failed; trying again in ${intervalMs / 1_000} s`);
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
