/**
 * What the agent says to the conductor: inspection data, lookup, heartbeat.
 */
import { request } from 'undici';

/** API microversion of lookups and inspection (ironic-python-agent's), and of heartbeats. */
const LOOKUP_VERSION = '1.62';
const HEARTBEAT_VERSION = '1.68';
const TIMEOUT_MS = 30_000;

export class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface LookupAnswer {
  readonly node: Readonly<Record<string, unknown>> & { readonly uuid: string };
  readonly heartbeatTimeoutSeconds: number;
  /** `******` when somebody else got it first. */
  readonly token: string | null;
}

export interface ConductorClient {
  /** Throws HttpError for answers that are no success, other errors when there was no answer. */
  lookup(macs: readonly string[], nodeUuid: string | null, signal: AbortSignal): Promise<LookupAnswer>;
  heartbeat(nodeUuid: string, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void>;
}

export function createConductorClient(apiUrl: string): ConductorClient {
  const base = apiUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  return {
    async lookup(macs, nodeUuid, signal) {
      const query = new URLSearchParams({
        addresses: macs.join(','),
        ...(nodeUuid === null ? {} : { node_uuid: nodeUuid }),
      });
      const answer = await call('GET', `${base}/v1/lookup?${query}`, LOOKUP_VERSION, undefined, signal);
      return parseLookup(answer);
    },
    async heartbeat(nodeUuid, body, signal) {
      await call('POST', `${base}/v1/heartbeat/${nodeUuid}`, HEARTBEAT_VERSION, body, signal);
    },
  };
}

/** Posts inspection data; answers the node's uuid if the conductor says it. */
export async function postInspection(
  url: string,
  data: unknown,
  signal: AbortSignal,
): Promise<string | null> {
  const answer = (await call('POST', url, LOOKUP_VERSION, data, signal)) as {
    uuid?: unknown;
    node?: { uuid?: unknown };
  } | null;
  const uuid = answer?.uuid ?? answer?.node?.uuid;
  return typeof uuid === 'string' ? uuid : null;
}

async function call(
  method: 'GET' | 'POST',
  url: string,
  version: string,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await request(url, {
    method,
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
  const text = await response.body.text();
  if (response.statusCode >= 300)
    throw new HttpError(response.statusCode, faultOf(response.statusCode, text));
  return text === '' ? null : JSON.parse(text);
}

/** Ironic wraps its text twice (features B.2); proxies in between do not. */
function faultOf(status: number, text: string): string {
  try {
    const { error_message: inner } = JSON.parse(text) as { error_message?: unknown };
    const fault = (typeof inner === 'string' ? JSON.parse(inner) : inner) as
      | { faultstring?: string; title?: string }
      | undefined;
    return `HTTP ${status}: ${fault?.faultstring ?? fault?.title ?? 'no reason given'}`;
  } catch {
    return `HTTP ${status}`;
  }
}

function parseLookup(answer: unknown): LookupAnswer {
  const { node, config } = (answer ?? {}) as {
    node?: Record<string, unknown>;
    config?: Record<string, unknown>;
  };
  if (typeof node?.['uuid'] !== 'string') throw new HttpError(200, 'the lookup answer names no node');
  const timeout = Number(config?.['heartbeat_timeout']);
  return {
    node: { ...node, uuid: node['uuid'] },
    heartbeatTimeoutSeconds: Number.isFinite(timeout) && timeout > 0 ? timeout : 300,
    token: typeof config?.['agent_token'] === 'string' ? config['agent_token'] : null,
  };
}
