/**
 * The start sequence as data: named stages, in order, each with its deadline. Life goes on after the last.
 */
import type { Log } from './log.ts';

export interface Stage<S> {
  readonly name: string;
  readonly limitMs: number;
  /** Fills in what later stages use. */
  readonly run: (state: S, signal: AbortSignal) => Promise<void>;
}

/** Runs the stages one after the other. A stage that fails or is late ends the start with its name. */
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
