/** Retries with exponential back-off and jitter until the work succeeds or the signal aborts. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export const pause: Pause = (ms, signal) => sleep(ms, undefined, { signal });

export interface RetryOptions {
  readonly firstMs: number;
  readonly mostMs: number;
  readonly signal: AbortSignal;
  readonly onFailure?: (error: Error) => void;
  /** Whether another try cannot succeed after this error. */
  readonly isFinal?: (error: Error) => boolean;
  /** 0 to below 1. */
  readonly random?: () => number;
  readonly pause?: Pause;
}

/** When the signal aborts, throws the last error of the work, which explains more than the abort. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { firstMs, mostMs, signal, random = Math.random } = options;
  const wait = options.pause ?? pause;
  let last: Error | undefined;
  for (let delay = firstMs; ; delay = Math.min(delay * 2, mostMs)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw last ?? error;
      last = error as Error;
      options.onFailure?.(last);
      if (options.isFinal?.(last)) throw last;
      const failure = last;
      await wait(delay * (0.5 + random()), signal).catch(() => {
        throw failure;
      });
    }
  }
}
