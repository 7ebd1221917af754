/**
 * Image preparation outside of the engine: started once per operation, and checked until it is done.
 *
 * The image cache does the work. A job only keeps the promise, so that the node is not locked while gigabytes are
 * fetched. After a restart the job starts again and finds finished work in the cache. A job that is no longer
 * checked, for example after an abort of its operation, is cancelled.
 */
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { ImageCache, ImageProgress, ImageRequest } from '../domain/images.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';

interface Job {
  state: 'working' | 'ready' | 'failed';
  error: unknown;
  progress: ImageProgress | null;
  readonly controller: AbortController;
  unattended: NodeJS.Timeout | undefined;
}

const LOOK_MS = 1_000;
const LIMIT_MS = 4 * 3_600_000;
/** Long enough for many checks, so that a busy engine does not cancel a transfer. */
const UNATTENDED_MS = 300_000;

export function createImageJobs(images: ImageCache): {
  follow(context: StepContext, request: ImageRequest): Promise<StepOutcome>;
} {
  const jobs = new Map<number, Job>();

  function start(request: ImageRequest): Job {
    const controller = new AbortController();
    const job: Job = { state: 'working', error: null, progress: null, controller, unattended: undefined };
    images
      .ensure(request, {
        signal: controller.signal,
        onProgress: (progress) => {
          job.progress = progress;
        },
      })
      .then(
        () => {
          job.state = 'ready';
        },
        (error: unknown) => {
          job.state = 'failed';
          job.error = error;
        },
      );
    return job;
  }

  function attend(id: number, job: Job): void {
    clearTimeout(job.unattended);
    job.unattended = setTimeout(() => {
      jobs.delete(id);
      job.controller.abort(new IngotError('aborted', 'no deploy waits for this image any more'));
    }, UNATTENDED_MS).unref();
  }

  return {
    async follow(context, request) {
      const { id } = context.operation;
      const job = jobs.get(id) ?? start(request);
      jobs.set(id, job);
      attend(id, job);
      if (job.progress !== null) {
        const { phase, bytesDone, bytesTotal = null } = job.progress;
        await context.progress({ phase, bytesDone, bytesTotal, bytesPerSecond: null });
      }
      if (job.state === 'working') {
        // The first check comes soon, because an image in the cache is ready at once.
        const first = context.step.memo['since'] === undefined;
        if (first) await context.remember({ since: context.now().toISOString() });
        const since = new Date(String(context.step.memo['since']));
        return {
          kind: 'wait',
          waitingFor: { kind: 'image', text: 'image to be prepared' },
          wakeAt: new Date(context.now().getTime() + (first ? LOOK_MS / 10 : LOOK_MS)),
          deadline: new Date(since.getTime() + LIMIT_MS),
          overdue: 'the image was not ready within 4 h',
        };
      }
      clearTimeout(job.unattended);
      jobs.delete(id);
      if (job.state === 'failed') throw job.error;
      return { kind: 'done' };
    },
  };
}
