/**
 * Downloads an image over HTTP. A transfer that breaks off is resumed at the byte it reached, until the deadline.
 *
 * A resumed transfer must be of the same file. Otherwise SourceChanged is thrown, so that two files are never mixed,
 * and the caller starts again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { DownloadError, FinalDownloadError, publicUrl, reasonOf } from './download-error.ts';
import { openTransfer, type Position } from './transfer.ts';

export interface FetchSettings {
  /** Consecutive failed tries without a byte that are allowed. */
  readonly retries: number;
  readonly retryMs: number;
  /** Time limit without a byte, or without a connection. */
  readonly timeoutMs: number;
  /** Time limit of the whole transfer with all its tries and sources. */
  readonly deadlineMs: number;
  /** How servers are known; by default by the usual authorities. */
  readonly connect?: buildConnector.connector;
  readonly signal: AbortSignal;
  readonly onRetry: (text: string) => void;
}

export interface Download {
  readonly bytes: AsyncIterable<Buffer>;
  /** Content-Length of the first answer; null before it and without one. */
  readonly lengthBytes: () => number | null;
}

type MutablePosition = { -readonly [K in keyof Position]: Position[K] };

/** Give `deadline` to share it between the downloads of one transfer. */
export function openDownload(
  url: string,
  settings: FetchSettings,
  deadline = AbortSignal.timeout(settings.deadlineMs),
): Download {
  const position: MutablePosition = { received: 0, totalBytes: null, validator: null };
  return { bytes: resuming(url, settings, deadline, position), lengthBytes: () => position.totalBytes };
}

async function* resuming(
  url: string,
  settings: FetchSettings,
  deadline: AbortSignal,
  position: MutablePosition,
): AsyncGenerator<Buffer, void> {
  const signal = AbortSignal.any([settings.signal, deadline]);
  const dispatcher = new Agent({ connect: settings.connect ?? { timeout: settings.timeoutMs } });
  const told = (): string => `${publicUrl(url)} broke off after ${position.received} bytes`;
  try {
    for (let failures = 0; ; ) {
      const before = position.received;
      try {
        yield* oneTransfer(url, position, dispatcher, settings.timeoutMs, signal);
        return;
      } catch (error) {
        settings.signal.throwIfAborted();
        if (deadline.aborted) throw overdue(url, settings.deadlineMs, position);
        if (error instanceof FinalDownloadError) throw error;
        // Only consecutive tries without a byte count, so that a slow and unreliable line still succeeds.
        failures = position.received > before ? 1 : failures + 1;
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

/** Ends early when the signal aborts; the next transfer then fails with the reason. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function overdue(url: string, deadlineMs: number, { received, totalBytes }: Position): DownloadError {
  const of = totalBytes === null ? '' : ` of ${totalBytes}`;
  return new DownloadError(
    `${publicUrl(url)} brought ${received}${of} bytes in the ${deadlineMs / 1000} s a transfer may take: the line or the server is too slow`,
  );
}

async function* oneTransfer(
  url: string,
  position: MutablePosition,
  dispatcher: Dispatcher,
  timeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const { body, totalBytes, validator } = await openTransfer(url, position, {
    dispatcher,
    timeoutMs,
    signal,
  });
  position.totalBytes = totalBytes;
  position.validator = validator;
  for await (const chunk of body) {
    position.received += chunk.length;
    yield chunk;
  }
  if (totalBytes !== null && position.received < totalBytes)
    throw new DownloadError('the connection ended early');
}
