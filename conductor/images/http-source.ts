/**
 * A file on an HTTP server, opened for reading: redirects, credentials of the URL, and a limit on silence.
 */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { IngotError } from '../domain/errors.ts';
import { explain, explainStatus } from './source-error.ts';

const MAX_REDIRECTS = 5;
const NOT_ALLOWED = 'its address is one that images may not be fetched from';

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
  /** What the URL was given as, for messages: `instance_info/image_source`. */
  readonly field: string;
  /** Longest silence: while connecting, before the answer and within it. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** Where to it may lead at all; anywhere when not given. */
  readonly guard?: SourceGuard;
}

/** For URLs of people who may reach less of the network than the conductor. */
export interface SourceGuard {
  /** Asked of the URL and of every one it redirects to. Throws what is wrong with it. */
  checkUrl(url: URL): void;
  /** Asked of every address that is to be connected to. */
  isAllowed(address: string, url: URL): boolean;
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
  // Loaded when the first image needs it: nothing at the start does.
  const { Agent } = await import('undici');
  const connect = { timeout: stallMs };
  if (guard === undefined) return new Agent({ connect });
  return new Agent({
    connect: { ...connect, lookup: guardedLookup((address) => guard.isAllowed(address, url)) },
  });
}

/** Names are judged by the very addresses that are then connected to. */
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

/** Addresses in a URL are never looked up. */
function checkGuard(url: URL, guard: SourceGuard | undefined): void {
  guard?.checkUrl(url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (guard !== undefined && isIP(host) !== 0 && !guard.isAllowed(host, url)) throw new Error(NOT_ALLOWED);
}

/** By hand: credentials of the first URL never go to another host. */
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
