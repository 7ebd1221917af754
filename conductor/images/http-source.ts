/**
 * Opens a file on an HTTP server for reading.
 */
import { IngotError } from '../domain/errors.ts';
import { type Outbound, REFUSED_FOR_GUESTS, RefusedDestination } from '../domain/outbound/outbound.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { explain, explainStatus, innermost } from './source-error.ts';

const MAX_REDIRECTS = 5;

/** An open source. `close` must be called, even if reading failed. */
export interface ByteSource {
  readonly chunks: AsyncIterable<Buffer>;
  /** The announced length; null if unknown. */
  readonly length: number | null;
  /** The URL after redirects, redacted. */
  readonly finalUrl: string;
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly outbound: Outbound;
  /** The request field of the URL, for error texts: `instance_info/image_source`. */
  readonly field: string;
  /** Time limit for connecting, and without data before and during the answer. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** Called with the URL and every redirect target. Throws if it is not allowed. */
  readonly checkUrl?: (url: URL) => void;
  /** The text of an error is for guests, so it does not say which address a name has. */
  readonly forGuests?: boolean;
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
  const { outbound, field, signal, stallMs, checkUrl, forGuests = false } = options;
  try {
    const limits = { maxRedirects: MAX_REDIRECTS, stallMs, signal };
    const answer = await outbound.open(source, { ...limits, ...(checkUrl && { checkUrl }) });
    const { status, body, length, finalUrl } = answer;
    if (status === 200) return { chunks: body, length, finalUrl, close: () => answer.close() };
    await answer.close();
    throw failure(field, `${finalUrl}: ${explainStatus(status)}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof IngotError) throw error;
    const discreet = forGuests && innermost(error) instanceof RefusedDestination;
    const why = discreet ? REFUSED_FOR_GUESTS : explain(error);
    throw failure(field, `${redactedUrl(source)} cannot be fetched: ${why}`, error);
  }
}

const failure = (field: string, what: string, cause?: unknown): IngotError =>
  new IngotError('imageFailure', `${field}: ${what}`, { cause });
