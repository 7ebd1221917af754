import { expect, it } from 'vitest';
import { createSharedJobs, type SharedJobs } from './shared-jobs.ts';

/** Work that ends when the test ends it, or when it is cancelled. */
function startable() {
  const signals: AbortSignal[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  let tell: ((progress: number) => void) | undefined;
  const work = (signal: AbortSignal, report: (progress: number) => void): Promise<string> => {
    signals.push(signal);
    tell = report;
    const cancelled = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    return Promise.race([promise, cancelled]);
  };
  return { work, signals, end: resolve, tell: (progress: number) => tell?.(progress) };
}

function caller(jobs: SharedJobs<string, number>, { work }: ReturnType<typeof startable>) {
  const controller = new AbortController();
  const seen: number[] = [];
  const outcome = jobs
    .wait('key', work, { signal: controller.signal, onProgress: (progress) => seen.push(progress) })
    .catch((error: Error) => error.message);
  return { outcome, seen, leave: () => controller.abort(new Error('the caller left')) };
}

it('starts one job for all callers of a key, and reports to all of them', async () => {
  const [jobs, started] = [createSharedJobs<string, number>(), startable()];
  const [first, second] = [caller(jobs, started), caller(jobs, started)];
  started.tell(1);
  started.end('done');
  expect(await Promise.all([first.outcome, second.outcome])).toEqual(['done', 'done']);
  expect([first.seen, second.seen, started.signals.length]).toEqual([[1], [1], 1]);
});

it('cancels the job when the last caller has left, and starts a new one for the next', async () => {
  const [jobs, started] = [createSharedJobs<string, number>(), startable()];
  const [first, second] = [caller(jobs, started), caller(jobs, started)];
  first.leave();
  expect(await first.outcome).toBe('the caller left');
  expect(started.signals[0]!.aborted).toBe(false);
  second.leave();
  expect(await second.outcome).toBe('the caller left');
  expect(started.signals[0]!.aborted).toBe(true);
  const third = caller(jobs, started);
  started.end('done');
  expect(await third.outcome).toBe('done');
  expect(started.signals).toHaveLength(2);
});

it('a cancelled job that ends late does not affect the next one', async () => {
  const jobs = createSharedJobs<string, number>();
  const cleanedUp = Promise.withResolvers<void>();
  const slow = (signal: AbortSignal): Promise<string> =>
    cleanedUp.promise.then(() => Promise.reject(signal.reason));
  const leaver = new AbortController();
  const first = jobs.wait('key', slow, { signal: leaver.signal }).catch((error: Error) => error.message);
  leaver.abort(new Error('the caller left'));
  expect(await first).toBe('the caller left');
  const started = startable();
  const second = caller(jobs, started);
  cleanedUp.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  const third = caller(jobs, started);
  started.end('done');
  expect(await Promise.all([second.outcome, third.outcome])).toEqual(['done', 'done']);
  expect(started.signals).toHaveLength(1);
});

it('starts no job for a caller that has already left', async () => {
  const [jobs, started] = [createSharedJobs<string, number>(), startable()];
  const signal = AbortSignal.abort(new Error('the caller left'));
  await expect(jobs.wait('key', started.work, { signal })).rejects.toThrow('the caller left');
  expect(started.signals).toEqual([]);
});

it('cancels all jobs when it stops', async () => {
  const [jobs, started] = [createSharedJobs<string, number>(), startable()];
  const { outcome } = caller(jobs, started);
  await jobs.stop();
  expect(await outcome).toBe('The conductor is shutting down.');
});
