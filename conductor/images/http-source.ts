/**
 * A file on an HTTP server, opened for reading: redirects, credentials of the URL, and a limit on silence.
 */
import type { Agent } from 'undici';
import { IngotError } from '../domain/errors.ts';
import { explain, explainStatus } from './source-error.ts';

const MAX_REDIRECTS = 5;

/** Where bytes come from. `close` must be called, whatever became of the chunks. */
export interface ByteSource {
  readonly chunks: AsyncIterable<Buffer>;
  /** As announced; null when it was not. */
  readonly length: number | null;
  /** After redirects, fit to be shown. */
  readonly finalUrl: string;
  close(): Promise<void>;
}

export interface HttpOptions {
  /** Key of instance_info the URL came from, for messages. */
  readonly field: string;
  /** Longest silence: while connecting, before the answer and within it. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** Without user info and query: those may hold credentials. */
export function publicUrl(source: string): string {
  const { protocol, host, pathname } = new URL(source);
  return `${protocol}//${host}${pathname}`;
}

/** Whether its escapes (%41) can be undone, as file names and credentials need. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** Throws imageFailure: unreachable, too many redirects, any answer but 200. */
export async function openHttp(source: string, options: HttpOptions): Promise<ByteSource> {
  const { field, signal, stallMs } = options;
  // Loaded when the first image needs it: nothing at the start does.
  const undici = await import('undici');
  const dispatcher = new undici.Agent({ connect: { timeout: stallMs } });
  try {
    return await follow(source, dispatcher, options);
  } catch (error) {
    await dispatcher.destroy();
    signal.throwIfAborted();
    if (error instanceof IngotError) throw error;
    throw failure(field, `${publicUrl(source)} cannot be fetched: ${explain(error)}`, error);
  }
}

const failure = (field: string, what: string, cause?: unknown): IngotError =>
  new IngotError('imageFailure', `instance_info/${field}: ${what}`, { cause });

/** By hand: credentials of the first URL never go to another host. */
async function follow(source: string, dispatcher: Agent, options: HttpOptions): Promise<ByteSource> {
  const { field, signal, stallMs } = options;
  const { request } = await import('undici');
  let url = new URL(source);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const { bare, headers } = withoutCredentials(url);
    const timeouts = { headersTimeout: stallMs, bodyTimeout: stallMs };
    const response = await request(bare.href, { dispatcher, headers, ...timeouts, signal });
    const { statusCode } = response;
    const { location } = response.headers;
    if (statusCode === 200) {
      const length = Number(response.headers['content-length'] ?? Number.NaN);
      return {
        chunks: response.body,
        length: Number.isFinite(length) ? length : null,
        finalUrl: publicUrl(bare.href),
        close: () => dispatcher.destroy(),
      };
    }
    await response.body.dump();
    if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string')
      throw failure(field, `${publicUrl(bare.href)}: ${explainStatus(statusCode)}`);
    const next = URL.parse(location, bare.href);
    if (next?.protocol !== 'http:' && next?.protocol !== 'https:')
      throw failure(field, `${publicUrl(source)} redirects to what is no http or https URL`);
    url = next;
  }
  throw failure(field, `${publicUrl(source)} redirects more than ${MAX_REDIRECTS} times`);
}

function withoutCredentials(url: URL): { bare: URL; headers: Record<string, string> } {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  if (url.username === '' && url.password === '') return { bare, headers: {} };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { bare, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}
