/**
 * One HTTP exchange of a download (RFC 9110): follows redirects, asks for the rest of a file that is
 * partly there, and tells by its validator, its range and its length whether it still is that file.
 */
import { type Dispatcher, request } from 'undici';
import { DownloadError, FinalDownloadError, publicUrl, SourceChanged } from './download-error.ts';

/** How far a download has come. */
export interface Position {
  readonly received: number;
  /** Of the whole file, when the source says it. */
  readonly totalBytes: number | null;
  /** A strong ETag or the Last-Modified date: what If-Range takes (RFC 9110 section 13.1.5). */
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
/** Answers of a server that may do better in a moment, though they are 4xx. */
const PASSING = [408, 425, 429];
/** Read ahead from the network while the disk is written. */
const AHEAD_BYTES = 4 * 1024 * 1024;

const ADVICE: Readonly<Record<number, string>> = {
  401: 'it wants credentials; image_info.urls must be readable without',
  403: 'it refuses access: check its permissions, and whether a signed URL has run out',
  404: 'there is no such file: check the URL, and whether the image was removed or expired meanwhile',
  410: 'the file was removed',
};

/** Throws FinalDownloadError for what trying again does not mend, SourceChanged when it is another file now. */
export async function openTransfer(url: string, position: Position, wire: Wire): Promise<Transfer> {
  const { answer, finalUrl } = await follow(url, headersFor(position), wire);
  try {
    return judge(answer, finalUrl, position);
  } catch (error) {
    discard(answer);
    throw error;
  }
}

/** undici reports what it was told to abort as an error of the body: with nobody listening the process ends. */
function discard({ body }: Answer): void {
  body.once('error', () => undefined);
  body.destroy();
}

function headersFor({ received, validator }: Position): Record<string, string> {
  // The digest is that of the bytes as they lie at the source.
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
      highWaterMark: AHEAD_BYTES,
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

function judge(answer: Answer, url: string, position: Position): Transfer {
  const { statusCode } = answer;
  const where = publicUrl(url);
  const resumes = position.received > 0;
  if (statusCode === 206 && resumes) return goesOn(answer, where, position);
  if (statusCode === 200) {
    if (resumes) throw new SourceChanged(`${where} has changed since the transfer began, or cannot resume`);
    return {
      body: answer.body,
      totalBytes: parseLength(answer.headers['content-length']),
      validator: validatorOf(answer),
    };
  }
  if (statusCode === 416 && resumes) throw new SourceChanged(`${where} is shorter than when it began`);
  const said = `${where} answered HTTP ${statusCode}`;
  if (statusCode >= 500 || PASSING.includes(statusCode)) throw new DownloadError(said);
  const advice = ADVICE[statusCode];
  throw new FinalDownloadError(advice === undefined ? said : `${said}: ${advice}`);
}

function goesOn(answer: Answer, where: string, position: Position): Transfer {
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
