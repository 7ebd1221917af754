/**
 * Checks and conversions of image files, and the memory of those that were refused. A refused image is not tried again
 * for a day, whoever asks and however often the conductor starts.
 *
 * Only a few run at the same time; the time limit of each begins when it runs.
 */
import { IngotError } from '../domain/errors.ts';
import type { ImageTask } from './image-tasks.ts';
import type { Examined, InspectedImage } from './inspect.ts';
import { openRefusals } from './refusals.ts';
import { RefusedImage } from './refused-image.ts';
import { type RunImageTask, runImageTask } from './run-image-task.ts';
import { createTurns } from './turns.ts';

export interface ImageChecks {
  /** Throws imageFailure if the image was refused before. `key` identifies the image's bytes and declared format. */
  known(key: string): Promise<void>;
  /** Throws imageFailure with the reason if the image may not be deployed. */
  inspect(key: string, file: CheckedFile, signal: AbortSignal): Promise<InspectedImage>;
  /** Whether data is what the image service was told. */
  examine(key: string, file: CheckedFile, signal: AbortSignal): Promise<Examined>;
  /** Writes the disk in a qcow2 file to `raw`. Throws imageFailure. */
  unpack(key: string, qcow2: string, raw: string, maxBytes: number, signal: AbortSignal): Promise<void>;
}

export interface CheckedFile {
  readonly path: string;
  readonly bytes: number;
  readonly declared: string | undefined;
}

export interface ImageCheckSettings {
  /** Created when something is refused. */
  readonly dir: string;
  /** Time limit of a check; default one minute. */
  readonly checkLimitMs?: number;
  readonly run?: RunImageTask;
}

const CHECK_LIMIT_MS = 60_000;
const UNPACK_LIMIT_MS = 4 * 3_600_000;
const CHECKS_AT_A_TIME = 4;

export function createImageChecks(settings: ImageCheckSettings): ImageChecks {
  const { dir, checkLimitMs = CHECK_LIMIT_MS, run = runImageTask } = settings;
  const refusals = openRefusals(dir);
  const turns = createTurns(CHECKS_AT_A_TIME);

  /** Runs a check, and remembers if it refuses the image. */
  async function check<T>(key: string, work: () => Promise<T>): Promise<T> {
    const reason = await refusals.reasonFor(key);
    if (reason !== undefined) throw new RefusedImage(reason);
    try {
      return await work();
    } catch (error) {
      if (error instanceof RefusedImage) await refusals.remember(key, error.message);
      throw error;
    }
  }

  return {
    async known(key) {
      const reason = await refusals.reasonFor(key);
      if (reason !== undefined) throw refusedSource(reason);
    },
    inspect: (key, { path, bytes, declared }, signal) =>
      check(key, () =>
        turns.take(signal, () =>
          run({ name: 'inspect', args: [path, bytes, declared] }, { signal, limitMs: checkLimitMs }),
        ),
      ).catch(asImageFailure),
    async examine(key, { path, bytes, declared = 'raw' }, signal) {
      try {
        return await check(key, async () => {
          const task: ImageTask<'examine'> = { name: 'examine', args: [path, bytes, declared] };
          const found = await turns.take(signal, () => run(task, { signal, limitMs: checkLimitMs }));
          if (!found.ok) throw new RefusedImage(found.reason);
          return found;
        });
      } catch (error) {
        if (error instanceof RefusedImage) return { ok: false, reason: error.message };
        throw error;
      }
    },
    unpack: (key, qcow2, raw, maxBytes, signal) =>
      check(key, () =>
        run({ name: 'unpack', args: [qcow2, raw, maxBytes] }, { signal, limitMs: UNPACK_LIMIT_MS }),
      ).catch(asImageFailure),
  };
}

function asImageFailure(error: unknown): never {
  throw error instanceof RefusedImage ? refusedSource(error.message) : error;
}

const refusedSource = (reason: string): IngotError =>
  new IngotError(
    'imageFailure',
    `the image was refused: ${reason}. Give another in instance_info.image_source, with its checksum, and deploy again`,
  );
