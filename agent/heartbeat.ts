/**
 * The heartbeat loop: at once, then every random 0.3 to 0.6 of the conductor's timeout, and when a command ends
 * (not oftener than every 5 s). A failed one is tried again after 5 to 10 s.
 */
import type { Log } from './log.ts';

const LEAST_GAP_MS = 5_000;

export interface Heart {
  /** Beats soon. */
  beat(): void;
  /** Runs until the signal aborts. */
  run(): Promise<void>;
}

export function createHeart(deps: {
  readonly send: () => Promise<void>;
  readonly timeoutMs: number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly random?: () => number;
}): Heart {
  const { signal, random = Math.random } = deps;
  const between = (low: number, high: number): number => low + random() * (high - low);
  let wake: () => void = () => undefined;
  let asked = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      wake = done;
    });

  return {
    beat() {
      asked = true;
      wake();
    },
    async run() {
      let last = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        const early = last + LEAST_GAP_MS - performance.now();
        if (early > 0) await pause(early);
        if (performance.now() < last + LEAST_GAP_MS && !signal.aborted) continue;
        asked = false;
        const ok = await deps.send().then(
          () => true,
          (error: Error) => {
            deps.log.warn(`heartbeat failed: ${error.message}`);
            return false;
          },
        );
        last = performance.now();
        if (!asked) await pause(ok ? between(0.3, 0.6) * deps.timeoutMs : between(5_000, 10_000));
      }
    },
  };
}
