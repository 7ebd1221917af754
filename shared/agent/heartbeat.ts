/**
 * Heartbeat: an agent reports where it runs. `POST /v1/heartbeat/<node>` (Ironic API 1.22; version from 1.36, token
 * from 1.62, certificate from 1.68, status from 1.72 on).
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { boundedName, boundedText } from './limits.ts';

/** API microversion of an agent's heartbeat: the first that accepts a certificate. */
export const HEARTBEAT_VERSION = '1.68';
const STATUSES = ['start', 'end', 'error'] as const;

export interface Heartbeat {
  /** Base URL of the agent's command API. */
  readonly callbackUrl: string;
  readonly version: string | null;
  readonly token: string | null;
  /** PEM of the agent's certificate, if it listens on TLS. */
  readonly verifyCa: string | null;
  /** Only from ramdisks that install by themselves. */
  readonly status: (typeof STATUSES)[number] | null;
  readonly statusMessage: string | null;
}

/** Wire name -> field. */
const TEXTS = {
  agent_version: 'version',
  agent_token: 'token',
  agent_verify_ca: 'verifyCa',
  agent_status: 'status',
  agent_status_message: 'statusMessage',
} as const satisfies Readonly<Record<string, keyof Heartbeat>>;

/** Leaves out null fields. */
export function encodeHeartbeat(heartbeat: Heartbeat): JsonObject {
  const given = Object.entries(TEXTS).filter(([, field]) => heartbeat[field] !== null);
  return {
    callback_url: heartbeat.callbackUrl,
    ...Object.fromEntries(given.map(([wire, field]) => [wire, heartbeat[field]])),
  };
}

export function decodeHeartbeat(body: unknown): Decoded<Heartbeat> {
  if (!isJsonObject(body)) return bad('a heartbeat must be an object');
  const { callback_url: callbackUrl } = body;
  if (typeof callbackUrl !== 'string') return bad('callback_url must be a string');
  const wrong = Object.keys(TEXTS).find((wire) => body[wire] != null && typeof body[wire] !== 'string');
  if (wrong !== undefined) return bad(`${wrong} must be a string`);
  const version = body['agent_version'] ?? '';
  if (version !== boundedName(version))
    return bad('agent_version must be one line of at most 255 characters');
  const { agent_status: status } = body;
  if (status != null && !(STATUSES as readonly unknown[]).includes(status)) {
    return bad(`Agent status is invalid. Valid states are ${STATUSES.join(',')}.`);
  }
  const texts = Object.entries(TEXTS).map(([wire, field]) => [field, body[wire] ?? null]);
  const heartbeat = { callbackUrl, ...Object.fromEntries(texts) } as Heartbeat;
  const { statusMessage: message } = heartbeat;
  return good({ ...heartbeat, statusMessage: message === null ? null : boundedText(message) });
}
