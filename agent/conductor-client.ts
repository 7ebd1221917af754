/**
 * The agent's requests to the conductor: inspection data, lookup, heartbeat.
 */
import { encodeHeartbeat, HEARTBEAT_VERSION, type Heartbeat } from '@ingot/shared/agent/heartbeat.ts';
import { decodeInspectionAnswer, encodeInspection, type Inspection } from '@ingot/shared/agent/inspection.ts';
import {
  decodeLookupAnswer,
  encodeLookupQuery,
  LOOKUP_VERSION,
  type LookupAnswer,
} from '@ingot/shared/agent/lookup.ts';
import { Agent, request } from 'undici';

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

export interface ConductorClient {
  /** Throws HttpError for an error answer, and other errors if there was no answer. */
  lookup(macs: readonly string[], nodeUuid: string | null, signal: AbortSignal): Promise<LookupAnswer>;
  heartbeat(nodeUuid: string, beat: Heartbeat, signal: AbortSignal): Promise<void>;
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
      const query = new URLSearchParams(encodeLookupQuery({ macs, nodeUuid }));
      const answer = decodeLookupAnswer(
        await callAny(`/v1/lookup?${query}`, LOOKUP_VERSION, undefined, signal),
      );
      if (!answer.ok) throw new HttpError(200, answer.reason);
      return answer.value;
    },
    async heartbeat(nodeUuid, beat, signal) {
      const path = `/v1/heartbeat/${encodeURIComponent(nodeUuid)}`;
      await callAny(path, HEARTBEAT_VERSION, encodeHeartbeat(beat), signal);
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
  data: Inspection,
  signal: AbortSignal,
): Promise<string | null> {
  return decodeInspectionAnswer(await call(url, LOOKUP_VERSION, encodeInspection(data), signal));
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
