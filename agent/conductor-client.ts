/**
 * The agent's requests to the conductor: inspection data, lookup, heartbeat.
 */
import { Agent, request } from 'undici';

/** API microversions that ironic-python-agent uses for lookup and inspection, and for heartbeats. */
const LOOKUP_VERSION = '1.62';
const HEARTBEAT_VERSION = '1.68';
const TIMEOUT_MS = 30_000;
/** Lookup answers are a few KiB. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;
const LONGEST_REASON = 500;
const dispatcher = new Agent({ connect: { timeout: 10_000 }, maxResponseSize: MOST_ANSWER_BYTES });

/** An error answer of the conductor: HTTP status and text. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface LookupAnswer {
  readonly node: Readonly<Record<string, unknown>> & { readonly uuid: string };
  readonly heartbeatTimeoutSeconds: number;
  /** `******` if the conductor has already given the token to an agent. */
  readonly token: string | null;
}

export interface ConductorClient {
  /** Throws HttpError for an error answer, and other errors if there was no answer. */
  lookup(macs: readonly string[], nodeUuid: string | null, signal: AbortSignal): Promise<LookupAnswer>;
  heartbeat(nodeUuid: string, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void>;
}

/** Uses the first URL that answers until it stops answering. An error answer counts as an answer. */
export function createConductorClient(apiUrls: readonly string[]): ConductorClient {
  const bases = apiUrls.map((url) => url.replace(/\/+$/, '').replace(/\/v1$/, ''));
  let current = 0;

  async function callAny(
    path: string,
    version: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    const silences: string[] = [];
    for (let tried = 0; tried < bases.length; tried += 1) {
      const base = bases[current] ?? '';
      try {
        return await call(`${base}${path}`, version, body, signal);
      } catch (error) {
        if (error instanceof HttpError || signal.aborted) throw error;
        silences.push(`${base}: ${reasonOf(error as Error)}`);
        current = (current + 1) % bases.length;
      }
    }
    throw new Error(silences.join('; ') || 'no ipa-api-url is known');
  }

  return {
    async lookup(macs, nodeUuid, signal) {
      const query = new URLSearchParams({
        addresses: macs.join(','),
        ...(nodeUuid === null ? {} : { node_uuid: nodeUuid }),
      });
      return parseLookup(await callAny(`/v1/lookup?${query}`, LOOKUP_VERSION, undefined, signal));
    },
    async heartbeat(nodeUuid, body, signal) {
      await callAny(`/v1/heartbeat/${encodeURIComponent(nodeUuid)}`, HEARTBEAT_VERSION, body, signal);
    },
  };
}

/** Some errors of undici have an empty message and explain themselves in the code or the cause. */
function reasonOf(error: Error & { code?: string }): string {
  return error.message || error.code || (error.cause as Error | undefined)?.message || error.name;
}

/** Posts inspection data. Returns the node's UUID if the answer contains it. */
export async function postInspection(
  url: string,
  data: unknown,
  signal: AbortSignal,
): Promise<string | null> {
  const answer = (await call(url, LOOKUP_VERSION, data, signal)) as {
    uuid?: unknown;
    node?: { uuid?: unknown };
  } | null;
  const uuid = answer?.uuid ?? answer?.node?.uuid;
  return typeof uuid === 'string' ? uuid : null;
}

/** GET, or POST when there is a body. */
async function call(url: string, version: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  const { statusCode, body: answer } = await request(url, {
    dispatcher,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      'x-openstack-ironic-api-version': version,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal: AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
  });
  const text = await answer.text();
  if (statusCode >= 300) throw new HttpError(statusCode, faultOf(statusCode, text));
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(statusCode, `HTTP ${statusCode}, but no JSON: is this the URL of a conductor?`);
  }
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

function parseLookup(answer: unknown): LookupAnswer {
  const { node, config } = (answer ?? {}) as {
    node?: Record<string, unknown> | null;
    config?: Record<string, unknown> | null;
  };
  if (typeof node?.['uuid'] !== 'string') throw new HttpError(200, 'the lookup answer contains no node');
  const timeout = Number(config?.['heartbeat_timeout']);
  return {
    node: { ...node, uuid: node['uuid'] },
    heartbeatTimeoutSeconds: Number.isFinite(timeout) && timeout > 0 ? timeout : 300,
    token: typeof config?.['agent_token'] === 'string' ? config['agent_token'] : null,
  };
}
