/**
 * The agent's requests to the conductor in Ironic's protocol: inspection data, lookup, heartbeat.
 */
import { encodeHeartbeat, HEARTBEAT_VERSION, type Heartbeat } from '@ingot/shared/agent/heartbeat.ts';
import { decodeInspectionAnswer, encodeInspection, type Inspection } from '@ingot/shared/agent/inspection.ts';
import {
  decodeLookupAnswer,
  encodeLookupQuery,
  LOOKUP_VERSION,
  type LookupAnswer,
} from '@ingot/shared/agent/lookup.ts';
import { callConductor, HttpError, reasonOf } from './conductor-call.ts';

export interface ConductorClient {
  /** Throws HttpError for an error answer, and other errors if there was no answer. */
  lookup(macs: readonly string[], nodeUuid: string | null, signal: AbortSignal): Promise<LookupAnswer>;
  heartbeat(nodeUuid: string, beat: Heartbeat, signal: AbortSignal): Promise<void>;
  /** Returns the node's UUID if the answer contains it. */
  inspection(data: Inspection, signal: AbortSignal): Promise<string | null>;
  /** The conductor's time in its last answer; null if it is not known, or not to be believed. */
  conductorTime(): Date | null;
}

export interface ConductorUrls {
  readonly api: readonly string[];
  /** For inspection data; null if none is asked for. */
  readonly inspection: string | null;
}

/** Uses the first API URL that answers until it stops answering. An error answer counts as an answer. */
export function createConductorClient(urls: ConductorUrls): ConductorClient {
  const bases = urls.api.map((url) => url.replace(/\/+$/, '').replace(/\/v1$/, ''));
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
    conductorTime: () => null,

    async lookup(macs, nodeUuid, signal) {
      const query = new URLSearchParams(encodeLookupQuery({ macs, nodeUuid }));
      return readLookup(await callAny(`/v1/lookup?${query}`, LOOKUP_VERSION, undefined, signal));
    },
    async heartbeat(nodeUuid, beat, signal) {
      const path = `/v1/heartbeat/${encodeURIComponent(nodeUuid)}`;
      await callAny(path, HEARTBEAT_VERSION, encodeHeartbeat(beat), signal);
    },
    async inspection(data, signal) {
      return decodeInspectionAnswer(
        await call(urls.inspection ?? '', LOOKUP_VERSION, encodeInspection(data), signal),
      );
    },
  };
}

export function readLookup(body: unknown): LookupAnswer {
  const answer = decodeLookupAnswer(body);
  if (!answer.ok) throw new HttpError(200, answer.reason);
  return answer.value;
}

const call = (url: string, version: string, body: unknown, signal: AbortSignal): Promise<unknown> =>
  callConductor({ url, version, body: body === undefined ? undefined : JSON.stringify(body) }, signal);
