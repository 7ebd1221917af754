/**
 * Opens a file on an HTTP server for reading. Handles redirects, credentials in the URL, and a time limit without data.
 */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { IngotError } from '../domain/errors.ts';
import { explain, explainStatus } from './source-error.ts';

const MAX_REDIRECTS = 5;
const NOT_ALLOWED = 'images may not be fetched from its address';

/** An open source. `close` must be called, even if reading failed. */
export interface ByteSource {
  readonly chunks: AsyncIterable<Buffer>;
  /** The announced length; null if unknown. */
  readonly length: number | null;
  /** The URL after redirects, without credentials. */
  readonly finalUrl: string;
  close(): Promise<void>;
}

export interface HttpOptions {
  /** The request field of the URL, for error texts: `instance_info/image_source`. */
  readonly field: string;
  /** Time limit for connecting, and without data before and during the answer. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** Limits the allowed destinations; without it all are allowed. */
  readonly guard?: SourceGuard;
}

/** For URLs of users who must not reach every address that the conductor can reach. */
export interface SourceGuard {
  /** Called with the URL and every redirect target. Throws if it is not allowed. */
  checkUrl(url: URL): void;
  /** Called with every address before a connection to it. */
  isAllowed(address: string, url: URL): boolean;
}

/** The URL without user info and query, which may contain credentials. */
export function publicUrl(source: string): string {
  const { protocol, host, pathname } = new URL(source);
  return `${protocol}//${host}${pathname}`;
}

/** Whether percent-encodings can be decoded, as needed for file names and credentials. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** Throws imageFailure if the server is unreachable, redirects too often, or does not answer with 200. */
export async function openHttp(source: string, options: HttpOptions): Promise<ByteSource> {
  const { field, signal } = options;
  let dispatcher: Agent | undefined;
  try {
    return await follow(source, options, async (url) => {
      await dispatcher?.destroy();
      dispatcher = await dispatcherFor(url, options);
      return dispatcher;
    });
  } catch (error) {
    await dispatcher?.destroy();
    signal.throwIfAborted();
    if (error instanceof IngotError) throw error;
    throw failure(field, `${publicUrl(source)} cannot be fetched: ${explain(error)}`, error);
  }
}

const failure = (field: string, what: string, cause?: unknown): IngotError =>
  new IngotError('imageFailure', `${field}: ${what}`, { cause });

async function dispatcherFor(url: URL, { stallMs, guard }: HttpOptions): Promise<Agent> {
  // Loaded with the first image, to keep the start fast.
  const { Agent } = await import('undici');
  const connect = { timeout: stallMs };
  if (guard === undefined) return new Agent({ connect });
  return new Agent({
    connect: { ...connect, lookup: guardedLookup((address) => guard.isAllowed(address, url)) },
  });
}

/** Checks the same look-up result that the connection uses, so that a second look-up cannot bypass the check. */
function guardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) return done(new Error(NOT_ALLOWED), '');
      if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** Checks addresses in a URL here, because they are not looked up. */
function checkGuard(url: URL, guard: SourceGuard | undefined): void {
  guard?.checkUrl(url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (guard !== undefined && isIP(host) !== 0 && !guard.isAllowed(host, url)) throw new Error(NOT_ALLOWED);
}

/** Follows redirects. The credentials in a URL are sent to its own host only. */
async function follow(
  source: string,
  options: HttpOptions,
  connectTo: (url: URL) => Promise<Agent>,
): Promise<ByteSource> {
  const { field, signal, stallMs, guard } = options;
  const { request } = await import('undici');
  let url = new URL(source);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    checkGuard(url, guard);
    const { bare, headers } = withoutCredentials(url);
    const dispatcher = await connectTo(url);
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
      throw failure(field, `${publicUrl(source)} redirects to a URL that is not http or https`);
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
