/**
 * The worker thread for image files: does one task and answers. It has a lower priority than the conductor's own
 * thread, like the programs of convert.ts. image-worker-file.ts says where it is.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { IMAGE_TASKS, type ImageTask, type ImageTaskAnswer } from './image-tasks.ts';
import { RefusedImage } from './refused-image.ts';

/** On Linux, process 0 is the calling thread. */
const THIS_THREAD = 0;

async function answer({ name, args }: ImageTask): Promise<ImageTaskAnswer> {
  const run = IMAGE_TASKS[name] as (...given: unknown[]) => Promise<unknown>;
  try {
    return { kind: 'done', result: await run(...args) };
  } catch (error) {
    if (error instanceof RefusedImage) return { kind: 'refused', reason: error.message };
    const { message, code = null } = error as NodeJS.ErrnoException;
    return { kind: 'failed', message, code };
  }
}

setPriority(THIS_THREAD, 5);
parentPort?.postMessage(await answer(workerData as ImageTask));
