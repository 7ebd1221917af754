/**
 * Bytes of an image over HTTP, going on after a cut at the byte it stopped at, until its deadline.
 *
 * A resumed transfer must be of the same file; of another one SourceChanged is thrown rather than two
 * files mixed, and whoever asked begins anew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { DownloadError, FinalDownloadError, publicUrl, reasonOf } from './download-error.ts';
import { openTransfer, type Position } from './transfer.ts';

export interface FetchSettings {
  /** Tries that may bring nothing, one after the other. */
  readonly retries: number;
  readonly retryMs: number;
  /** Without a byte, or without a connection. */
  readonly timeoutMs: number;
  /** For the whole transfer with all its tries and sources. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly onRetry: (text: string) => void;
}

export interface Download {
  readonly bytes: AsyncIterable<Buffer>;
  /** Content-Length of the first answer, once it has come. */
  readonly lengthBytes: () => number | null;
}

type Progress = { -readonly [K in keyof Position]: Position[K] };

/** A deadline that is given is shared with other downloads of the same transfer. */
export function openDownload(
  url: string,
  settings: FetchSettings,
  deadline = AbortSignal.timeout(settings.deadlineMs),
): Download {
  const progress: Progress = { received: 0, totalBytes: null, validator: null };
  return { bytes: resuming(url, settings, deadline, progress), lengthBytes: () => progress.totalBytes };
}

async function* resuming(
  url: string,
  settings: FetchSettings,
  deadline: AbortSignal,
  progress: Progress,
): AsyncGenerator<Buffer, void> {
  const signal = AbortSignal.any([settings.signal, deadline]);
  const dispatcher = new Agent({ connect: { timeout: settings.timeoutMs } });
  const told = (): string => `${publicUrl(url)} broke off after ${progress.received} bytes`;
  try {
    for (let failures = 0; ; ) {
      const before = progress.received;
      try {
        yield* oneTransfer(url, progress, dispatcher, settings.timeoutMs, signal);
        return;
      } catch (error) {
        settings.signal.throwIfAborted();
        if (deadline.aborted) throw overdue(url, settings.deadlineMs, progress);
        if (error instanceof FinalDownloadError) throw error;
        // Only tries that brought nothing count, so a slow and shaky line still gets there.
        failures = progress.received > before ? 1 : failures + 1;
        const text = `${told()}: ${reasonOf(error)}`;
        if (failures > settings.retries)
          throw new DownloadError(`${text}; gave up after ${failures} tries without a byte`, {
            cause: error,
          });
        settings.onRetry(`${text}; trying again`);
        await pause(settings.retryMs, signal);
      }
    }
  } finally {
    await dispatcher.destroy();
  }
}

/** Ends early when the signal aborts; the transfer after it then fails with the reason. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function overdue(url: string, deadlineMs: number, { received, totalBytes }: Progress): DownloadError {
  const of = totalBytes === null ? '' : ` of ${totalBytes}`;
  return new DownloadError(
    `${publicUrl(url)} brought ${received}${of} bytes in the ${deadlineMs / 1000} s a transfer may take: the line or the server is too slow`,
  );
}

async function* oneTransfer(
  url: string,
  progress: Progress,
  dispatcher: Dispatcher,
  timeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const { body, totalBytes, validator } = await openTransfer(url, progress, {
    dispatcher,
    timeoutMs,
    signal,
  });
  progress.totalBytes = totalBytes;
  progress.validator = validator;
  for await (const chunk of body) {
    progress.received += chunk.length;
    yield chunk;
  }
  if (totalBytes !== null && progress.received < totalBytes)
    throw new DownloadError('the connection ended early');
}
