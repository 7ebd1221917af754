/**
 * The heartbeat loop. A heartbeat is sent at the start, then after a random 0.3 to 0.6 of the conductor's timeout, and
 * when a command ends, but at most every 5 s.
 *
 * After a failure the next one follows in 5 to 10 s, and the interval doubles up to a minute. This spreads the load of a
 * thousand agents on a conductor that has just restarted. After 409 (the node is locked) it is always 5 to 10 s.
 */
import { HttpError } from './conductor-call.ts';
import type { Log } from './log.ts';

const LEAST_GAP_MS = 5_000;
const FIRST_RETRY_MS = 5_000;
const MOST_RETRY_MS = 30_000;
/** Earliest and latest heartbeat in proportion to the conductor's timeout. */
const EARLIEST = 0.3;
const LATEST = 0.6;

export interface HeartbeatLoop {
  /** Sends a heartbeat soon. */
  beat(): void;
  /** Runs until the signal aborts. */
  run(): Promise<void>;
}

export interface HeartbeatLoopDeps {
  readonly send: () => Promise<void>;
  readonly timeoutMs: number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** 0 to below 1. */
  readonly random?: () => number;
}

export function createHeartbeatLoop(deps: HeartbeatLoopDeps): HeartbeatLoop {
  const { signal, timeoutMs, log, random = Math.random } = deps;
  let wake: () => void = () => undefined;
  let asked = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
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

  /** Consecutive failures other than 409. */
  let failures = 0;
  async function beatOnce(): Promise<number> {
    try {
      await deps.send();
      failures = 0;
      return (EARLIEST + random() * (LATEST - EARLIEST)) * timeoutMs;
    } catch (error) {
      if (!signal.aborted) log.warn(`heartbeat failed: ${(error as Error).message}`);
      const locked = error instanceof HttpError && error.status === 409;
      failures = locked ? 0 : failures + 1;
      return retryMs(Math.max(failures, 1), timeoutMs) * (1 + random());
    }
  }

  return {
    beat() {
      asked = true;
      wake();
    },
    async run() {
      let last = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        const early = last + LEAST_GAP_MS - performance.now();
        if (early > 0) {
          await pause(early);
          continue;
        }
        asked = false;
        const waitMs = await beatOnce();
        last = performance.now();
        if (!asked) await pause(waitMs);
      }
    },
  };
}

/** The delay before jitter, which up to doubles it. No later than the next heartbeat after a success. */
function retryMs(failures: number, timeoutMs: number): number {
  const most = Math.max(FIRST_RETRY_MS, Math.min(MOST_RETRY_MS, EARLIEST * timeoutMs));
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), most);
}
