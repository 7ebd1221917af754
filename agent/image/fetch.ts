/**
 * Bytes of an image over HTTP, going on after a cut at the byte it stopped at.
 *
 * A resumed transfer must be of the same file (If-Range with the first answer's ETag); a server
 * that cannot resume fails the download rather than mixing two files. 4xx is final.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';

export interface FetchSettings {
  readonly retries: number;
  readonly retryMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onRetry: (text: string) => void;
}

/** Without user info and query: those may hold credentials. */
export function publicUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

class Final extends DownloadError {}

export interface Download {
  readonly bytes: AsyncIterable<Buffer>;
  /** Content-Length of the first answer, once it has come. */
  readonly lengthBytes: () => number | null;
}

export function openDownload(url: string, settings: FetchSettings): Download {
  let length: number | null = null;
  return {
    bytes: resuming(url, settings, (bytes) => {
      length = bytes;
    }),
    lengthBytes: () => length,
  };
}

async function* resuming(
  url: string,
  settings: FetchSettings,
  onLength: (bytes: number | null) => void,
): AsyncGenerator<Buffer> {
  const { signal, retries } = settings;
  const dispatcher = new Agent({ connect: { timeout: settings.timeoutMs } });
  const progress: Progress = { received: 0, total: null, etag: null };
  try {
    for (let failures = 0; ; ) {
      const before = progress.received;
      try {
        yield* oneTransfer(url, dispatcher, settings, progress, onLength);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Final) throw error;
        // Only tries that brought nothing count, so a slow and shaky line still gets there.
        failures = progress.received > before ? 1 : failures + 1;
        const text = `${publicUrl(url)} broke off after ${progress.received} bytes: ${(error as Error).message}`;
        if (failures > retries)
          throw new DownloadError(`${text}; gave up after ${failures} tries`, { cause: error });
        settings.onRetry(`${text}; trying again`);
        await sleep(settings.retryMs, undefined, { signal });
      }
    }
  } finally {
    await dispatcher.destroy();
  }
}

interface Progress {
  received: number;
  total: number | null;
  etag: string | null;
}

async function* oneTransfer(
  url: string,
  dispatcher: Dispatcher,
  { timeoutMs, signal }: FetchSettings,
  progress: Progress,
  onLength: (bytes: number | null) => void,
): AsyncGenerator<Buffer> {
  const resumes = progress.received > 0;
  const headers: Record<string, string> = resumes
    ? {
        range: `bytes=${progress.received}-`,
        ...(progress.etag === null ? {} : { 'if-range': progress.etag }),
      }
    : {};
  const response = await request(url, {
    dispatcher,
    headers,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    signal,
  });
  const { statusCode } = response;
  if (statusCode >= 400 && statusCode < 500) throw new Final(`${publicUrl(url)} answered HTTP ${statusCode}`);
  if (statusCode !== (resumes ? 206 : 200)) {
    response.body.destroy();
    const what =
      resumes && statusCode === 200
        ? 'cannot resume, or the file has changed'
        : `answered HTTP ${statusCode}`;
    throw statusCode === 200 ? new Final(`${publicUrl(url)} ${what}`) : new DownloadError(what);
  }
  if (!resumes) {
    const length = Number(response.headers['content-length'] ?? Number.NaN);
    progress.total = Number.isFinite(length) ? length : null;
    progress.etag = typeof response.headers.etag === 'string' ? response.headers.etag : null;
    onLength(progress.total);
  }
  for await (const chunk of response.body) {
    progress.received += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (progress.total !== null && progress.received < progress.total)
    throw new DownloadError('the connection ended early');
}
