/**
 * Runs the start sequence: named stages in order, each with a time limit.
 */
import type { Log } from './log.ts';

export interface Stage<S> {
  readonly name: string;
  readonly limitMs: number;
  /** Stores in the state what later stages need. */
  readonly run: (state: S, signal: AbortSignal) => Promise<void>;
}

/** Throws with the name of the stage that failed or exceeded its time limit. */
export async function runStages<S>(
  stages: readonly Stage<S>[],
  state: S,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, limitMs, run } of stages) {
    log.info(name);
    const limit = AbortSignal.timeout(limitMs);
    try {
      await run(state, AbortSignal.any([signal, limit]));
    } catch (error) {
      const late = limit.aborted ? ` within ${limitMs / 1000} s` : '';
      throw new Error(`"${name}" did not succeed${late}: ${(error as Error).message}`, { cause: error });
    }
  }
}
