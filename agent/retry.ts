/** Trying again: exponential with jitter, until it works or the signal says it is too late. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  readonly firstMs: number;
  readonly mostMs: number;
  readonly signal: AbortSignal;
  readonly onFailure?: (error: Error) => void;
  /** Errors that trying again does not mend. */
  readonly isFinal?: (error: Error) => boolean;
}

/** The last error when the signal aborts, since it tells more than the abort. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { firstMs, mostMs, signal } = options;
  for (let delay = firstMs; ; delay = Math.min(delay * 2, mostMs)) {
    try {
      return await work();
    } catch (error) {
      const failure = error as Error;
      options.onFailure?.(failure);
      if (options.isFinal?.(failure)) throw failure;
      await sleep(delay * (0.5 + Math.random()), undefined, { signal }).catch(() => {
        throw failure;
      });
    }
  }
}
