/**
 * Runs a task on an image file in a worker thread, with a time limit, a memory limit and a signal. Ending the thread
 * ends the task wherever it is, so a hostile file costs no more than its limits.
 */
import { Worker } from 'node:worker_threads';
import { IngotError } from '../domain/errors.ts';
import type { ImageTask, ImageTaskAnswer, ImageTaskName, ImageTasks } from './image-tasks.ts';
import { IMAGE_WORKER } from './image-worker-file.ts';
import { RefusedImage } from './refused-image.ts';

export interface TaskLimits {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

export type RunImageTask = <Name extends ImageTaskName>(
  task: ImageTask<Name>,
  limits: TaskLimits,
) => Promise<Awaited<ReturnType<ImageTasks[Name]>>>;

/** JavaScript objects only; buffers of image data are small and outside of it. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 } as const;

/** Throws RefusedImage (also when a limit is exceeded), imageFailure and the signal's reason. */
export const runImageTask: RunImageTask = async (task, { signal, limitMs }) => {
  signal.throwIfAborted();
  const worker = new Worker(IMAGE_WORKER, {
    workerData: task,
    resourceLimits: MEMORY,
    env: {},
    execArgv: [],
  });
  const ended = Promise.withResolvers<ImageTaskAnswer>();
  const stop = (): void => ended.reject(signal.reason);
  const late = setTimeout(
    () => ended.reject(new RefusedImage(`reading it did not end within ${limitMs / 1000} s`)),
    limitMs,
  );
  signal.addEventListener('abort', stop, { once: true });
  worker.once('message', ended.resolve);
  worker.once('error', (error: NodeJS.ErrnoException) => ended.reject(failure(error)));
  worker.once('exit', () => ended.reject(new IngotError('imageFailure', 'reading the image ended early')));
  try {
    const answer = await ended.promise;
    if (answer.kind === 'refused') throw new RefusedImage(answer.reason);
    if (answer.kind === 'failed') throw failure(answer);
    return answer.result as never;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
};

function failure({ message, code }: { message: string; code?: string | null | undefined }): Error {
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new RefusedImage('reading it takes too much memory');
  const reason =
    code === 'ENOSPC'
      ? "the conductor's disk is full. To try: free some space under its data_dir, or lower images.cache_gib"
      : message;
  return new IngotError('imageFailure', `reading the image failed: ${reason}`);
}
