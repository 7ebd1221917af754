/**
 * Calls an API in process like a client, and parses the answer.
 */
import { errorText } from '@ingot/shared/ironic/error-body.ts';
import { MAX_MINOR } from '@ingot/shared/ironic/versions.ts';
import type { TestApi } from './api.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any;
  /** The error text of the answer. */
  readonly error: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  /** API microversion 1.N; null sends no header. */
  readonly minor?: number | null;
  readonly headers?: Record<string, string>;
}

export type Call = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<Answer>;

export function createCall(app: TestApi['api']): Call {
  return async (method, path, body, { minor = MAX_MINOR, headers = {} } = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        host: '127.0.0.1',
        ...(minor === null ? {} : { 'x-openstack-ironic-api-version': `1.${minor}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = response.body;
    const isJson = String(response.headers['content-type']).includes('json');
    const parsed: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    return {
      status: response.statusCode,
      body: parsed,
      error: response.statusCode < 400 ? '' : (errorText(parsed) ?? ''),
      headers: response.headers,
    };
  };
}
