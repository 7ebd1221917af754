/**
 * One request to a conductor, and its answer: JSON, or an error with the conductor's text.
 */
import { Agent, type Dispatcher, request } from 'undici';

const TIMEOUT_MS = 30_000;
export const CONNECT_TIMEOUT_MS = 10_000;
/** Lookup answers are a few KiB. */
export const MOST_ANSWER_BYTES = 4 * 1024 * 1024;
const LONGEST_REASON = 500;
const plain = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, maxResponseSize: MOST_ANSWER_BYTES });

/** An error answer of the conductor: HTTP status and text. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ConductorRequest {
  readonly url: string;
  /** API microversion. */
  readonly version: string;
  /** JSON text; GET without one. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dispatcher?: Dispatcher;
  /** Gets the headers of every answer, also of an error. */
  readonly onHeaders?: (headers: Readonly<Record<string, string | string[] | undefined>>) => void;
}

/** Throws HttpError for an error answer, and other errors if there was no answer. */
export async function callConductor(call: ConductorRequest, signal: AbortSignal): Promise<unknown> {
  const { body } = call;
  const answer = await request(call.url, {
    dispatcher: call.dispatcher ?? plain,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      'x-openstack-ironic-api-version': call.version,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: body ?? null,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal: AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
  });
  call.onHeaders?.(answer.headers);
  const { statusCode } = answer;
  const text = await answer.body.text();
  if (statusCode >= 300) throw new HttpError(statusCode, faultOf(statusCode, text));
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(statusCode, `HTTP ${statusCode}, but no JSON: is this the URL of a conductor?`);
  }
}

/** Some errors of undici have an empty message and explain themselves in the code or the cause. */
export function reasonOf(error: Error & { code?: string }): string {
  return error.message || error.code || (error.cause as Error | undefined)?.message || error.name;
}

/** Ironic's error body is JSON with a text that is JSON again. Proxies send other forms. */
function faultOf(status: number, text: string): string {
  try {
    const { error_message: inner } = JSON.parse(text) as { error_message?: unknown };
    const fault = (typeof inner === 'string' ? JSON.parse(inner) : inner) as
      | { faultstring?: unknown; title?: unknown }
      | undefined;
    const reason = fault?.faultstring ?? fault?.title;
    return `HTTP ${status}: ${typeof reason === 'string' ? reason.slice(0, LONGEST_REASON) : 'no reason given'}`;
  } catch {
    return `HTTP ${status}`;
  }
}
