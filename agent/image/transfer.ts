/**
 * One HTTP exchange of a download (RFC 9110): follows redirects, asks for the missing rest of a file, and checks by
 * validator, range and length that the file is still the same.
 */
import { type Dispatcher, request } from 'undici';
import { DownloadError, FinalDownloadError, publicUrl, SourceChanged } from './download-error.ts';

/** How much of a file is downloaded. */
export interface Position {
  readonly received: number;
  /** Size of the whole file; null if the source does not report it. */
  readonly totalBytes: number | null;
  /** A strong ETag or the Last-Modified date, for If-Range (RFC 9110 section 13.1.5). */
  readonly validator: string | null;
}

export interface Transfer extends Pick<Position, 'totalBytes' | 'validator'> {
  readonly body: AsyncIterable<Buffer>;
}

interface Wire {
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Answer = Dispatcher.ResponseData;

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** 4xx statuses after which another try may succeed. */
const TEMPORARY = [408, 425, 429];
/** Bytes read ahead from the network while the disk is written. */
const READ_AHEAD_BYTES = 4 * 1024 * 1024;

const ADVICE: Readonly<Record<number, string>> = {
  401: 'it requires credentials; image_info.urls must be readable without',
  403: 'it refuses access: check its permissions, and whether a signed URL has expired',
  404: 'there is no such file: check the URL, and whether the image was removed or has expired',
  410: 'the file was removed',
};

/** Throws FinalDownloadError if another try cannot succeed, and SourceChanged if the file has changed. */
export async function openTransfer(url: string, position: Position, wire: Wire): Promise<Transfer> {
  const { answer, finalUrl } = await follow(url, headersFor(position), wire);
  try {
    return checkAnswer(answer, finalUrl, position);
  } catch (error) {
    discard(answer);
    throw error;
  }
}

/** undici reports the abort as an error event of the body. Without a listener it would end the process. */
function discard({ body }: Answer): void {
  body.once('error', () => undefined);
  body.destroy();
}

function headersFor({ received, validator }: Position): Record<string, string> {
  // The digest is computed over the file at the source, so the server must not compress it.
  const identity = { 'accept-encoding': 'identity' };
  if (received === 0) return identity;
  return {
    ...identity,
    range: `bytes=${received}-`,
    ...(validator === null ? {} : { 'if-range': validator }),
  };
}

async function follow(
  first: string,
  headers: Record<string, string>,
  { dispatcher, timeoutMs, signal }: Wire,
): Promise<{ answer: Answer; finalUrl: string }> {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await request(url, {
      dispatcher,
      headers,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      highWaterMark: READ_AHEAD_BYTES,
      signal,
    });
    if (!REDIRECTS.includes(answer.statusCode)) return { answer, finalUrl: url };
    discard(answer);
    if (redirects === MAX_REDIRECTS)
      throw new FinalDownloadError(`${publicUrl(first)} redirects more than ${MAX_REDIRECTS} times`);
    const location = answer.headers.location;
    const target = typeof location === 'string' ? URL.parse(location, url) : null;
    if (target === null || !['http:', 'https:'].includes(target.protocol))
      throw new FinalDownloadError(`${publicUrl(url)} redirects to no http(s) URL`);
    url = target.href;
  }
}

function checkAnswer(answer: Answer, url: string, position: Position): Transfer {
  const { statusCode } = answer;
  const where = publicUrl(url);
  const resumes = position.received > 0;
  if (statusCode === 206 && resumes) return resumed(answer, where, position);
  if (statusCode === 200) {
    if (resumes) throw new SourceChanged(`${where} has changed since the transfer began, or cannot resume`);
    return {
      body: answer.body,
      totalBytes: parseLength(answer.headers['content-length']),
      validator: validatorOf(answer),
    };
  }
  if (statusCode === 416 && resumes)
    throw new SourceChanged(`${where} is shorter than when the transfer began`);
  const said = `${where} answered HTTP ${statusCode}`;
  if (statusCode >= 500 || TEMPORARY.includes(statusCode)) throw new DownloadError(said);
  const advice = ADVICE[statusCode];
  throw new FinalDownloadError(advice === undefined ? said : `${said}: ${advice}`);
}

function resumed(answer: Answer, where: string, position: Position): Transfer {
  const { received, totalBytes, validator } = position;
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(String(answer.headers['content-range'])) ?? [];
  if (Number(from) !== received)
    throw new FinalDownloadError(`${where} was asked for bytes from ${received} and sent others`);
  const now = validatorOf(answer);
  const otherLength = totalBytes !== null && total !== '*' && Number(total) !== totalBytes;
  if (otherLength || (validator !== null && now !== null && now !== validator))
    throw new SourceChanged(`${where} has changed since the transfer began`);
  return { body: answer.body, totalBytes, validator };
}

function parseLength(value: unknown): number | null {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : null;
}

function validatorOf({ headers }: Answer): string | null {
  const { etag, 'last-modified': modified } = headers;
  if (typeof etag === 'string' && !etag.startsWith('W/')) return etag;
  return typeof modified === 'string' ? modified : null;
}
