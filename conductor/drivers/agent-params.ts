/**
 * The kernel arguments that tell an agent its conductor.
 */
import { randomBytes } from 'node:crypto';
import { BOOT_PARAMS } from '@ingot/shared/agent/kernel-params.ts';
import type { JsonObject } from '../domain/json.ts';

const SECRET_BYTES = 32;

/** Where agents reach the conductor. */
export interface AgentEndpoints {
  /** HTTP, for foreign agents and for files. */
  readonly plainUrl: string;
  /** HTTPS, and the pin of its key. */
  readonly tlsUrl: string;
  readonly pin: string;
  /** The setting agent.allow_plaintext: foreign agents may use `plainUrl`. */
  readonly allowPlaintext: boolean;
}

export const newBootSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The API for agents that do not know our own arguments. */
export const foreignApiUrl = ({ allowPlaintext, plainUrl, tlsUrl }: AgentEndpoints): string =>
  allowPlaintext ? plainUrl : tlsUrl;

/** Argument -> value. Without the boot secret, which only the boot script contains. */
export function agentParams(endpoints: AgentEndpoints, nodeUuid: string): JsonObject {
  return {
    'ipa-api-url': foreignApiUrl(endpoints),
    [BOOT_PARAMS.apiUrl]: endpoints.tlsUrl,
    [BOOT_PARAMS.pin]: endpoints.pin,
    [BOOT_PARAMS.nodeUuid]: nodeUuid,
  };
}

export const bootSecretParam = (secret: string): string => `${BOOT_PARAMS.bootSecret}=${secret}`;
