/**
 * HTTP requests of attack tests: the answer with its text and, if it is JSON, its content. A status is never an error.
 */
import { errorText } from '@ingot/shared/ironic/error-body.ts';
import { MAX_MINOR } from '@ingot/shared/ironic/versions.ts';
import { Agent, request } from 'undici';
import type { Call } from '../fakes/api-client.ts';

const TIMEOUT_MS = 60_000;

export interface HttpAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any;
  readonly text: string;
  /** The error text of the answer; empty below 400. */
  readonly error: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface HttpOptions {
  /** A string or bytes as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type HttpCall = (method: string, path: string, options?: HttpOptions) => Promise<HttpAnswer>;

/**
 * `socketPath` is the unix socket that leads to the server, if it is on another network. `options` are undici's,
 * such as `localAddress` or `connect: { ca }`.
 */
export function createHttpCaller(
  baseUrl: string,
  socketPath?: () => Promise<string>,
  options: Pick<Agent.Options, 'localAddress' | 'connect'> = {},
): HttpCall {
  let agent: Promise<Agent> | undefined;
  const makeAgent = async () =>
    new Agent({
      pipelining: 0,
      ...options,
      ...(socketPath !== undefined && {
        connect: { ...(options.connect as object), socketPath: await socketPath() },
      }),
    });
  return async (method, path, { body, headers = {} } = {}) => {
    agent ??= makeAgent();
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    const response = await request(`${baseUrl}${path}`, {
      dispatcher: await agent,
      method: method as 'GET',
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      headers: {
        'x-openstack-ironic-api-version': `1.${MAX_MINOR}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isRaw ? (body ?? null) : JSON.stringify(body),
    });
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).includes('json') && text !== '';
    const content: unknown = isJson ? JSON.parse(text) : text;
    const error = response.statusCode < 400 ? '' : (errorText(content) ?? text);
    return { status: response.statusCode, body: content, text, error, headers: response.headers };
  };
}

/** The same, as test/fakes/operator.ts calls an API. */
export const operatorCall =
  (call: HttpCall): Call =>
  (method, path, body, { headers = {} } = {}) =>
    call(method, path, { ...(body === undefined ? {} : { body }), headers });
