/**
 * Jobs that several callers wait for. Callers with the same key share one job, which is cancelled when the last
 * caller has left.
 */
import { IngotError } from '../domain/errors.ts';

export type Work<Result, Progress> = (
  signal: AbortSignal,
  report: (progress: Progress) => void,
) => Promise<Result>;

export interface Waiter<Progress> {
  /** When it is aborted, this caller stops waiting. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface SharedJobs<Result, Progress> {
  /** Waits for the job of this key; starts it with `work` if there is none. */
  wait(key: string, work: Work<Result, Progress>, waiter: Waiter<Progress>): Promise<Result>;
  /** Cancels all jobs and waits until they have ended. */
  stop(): Promise<void>;
}

interface Job<Result, Progress> {
  readonly controller: AbortController;
  readonly done: Promise<Result>;
  waiters: number;
  readonly listeners: Set<(progress: Progress) => void>;
}

export function createSharedJobs<Result, Progress>(): SharedJobs<Result, Progress> {
  const jobs = new Map<string, Job<Result, Progress>>();
  /** All jobs, including cancelled ones that are still cleaning up. */
  const running = new Set<Job<Result, Progress>>();

  function jobFor(key: string, work: Work<Result, Progress>): Job<Result, Progress> {
    const known = jobs.get(key);
    if (known) return known;
    const controller = new AbortController();
    const listeners: Job<Result, Progress>['listeners'] = new Set();
    const report = (progress: Progress): void => {
      for (const listener of listeners) listener(progress);
    };
    const done = work(controller.signal, report).finally(() => {
      running.delete(job);
      if (jobs.get(key) === job) jobs.delete(key);
    });
    const job: Job<Result, Progress> = { controller, done, waiters: 0, listeners };
    running.add(job);
    jobs.set(key, job);
    return job;
  }

  return {
    async wait(key, work, { signal, onProgress }) {
      signal.throwIfAborted();
      const job = jobFor(key, work);
      job.waiters += 1;
      if (onProgress) job.listeners.add(onProgress);
      const gone = Promise.withResolvers<never>();
      const leave = (): void => gone.reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([job.done, gone.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
        if (onProgress) job.listeners.delete(onProgress);
        job.waiters -= 1;
        if (job.waiters === 0) {
          // A new caller starts a new job, since this one is cancelled.
          if (jobs.get(key) === job) jobs.delete(key);
          job.controller.abort(new IngotError('aborted', 'no caller waits for this image any longer'));
        }
      }
    },

    async stop() {
      const left = [...running];
      for (const job of left)
        job.controller.abort(new IngotError('interrupted', 'The conductor is shutting down.'));
      await Promise.allSettled(left.map(({ done }) => done));
    },
  };
}
