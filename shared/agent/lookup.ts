/**
 * Lookup: an agent asks which node its machine is. `GET /v1/lookup?addresses=&node_uuid=`, answered with `{node,
 * config}` (Ironic API 1.22; with a token from 1.62 on). Inspection data has the same answer from 1.84 on.
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

/** API microversion of an agent's lookup: the first that returns tokens. */
export const LOOKUP_VERSION = '1.62';
/** Replaces a token that was returned before. */
export const MASKED_TOKEN = '******';
const DEFAULT_HEARTBEAT_TIMEOUT_SECONDS = 300;

export interface LookupQuery {
  readonly macs: readonly string[];
  readonly nodeUuid: string | null;
}

export function encodeLookupQuery({ macs, nodeUuid }: LookupQuery): Readonly<Record<string, string>> {
  return { addresses: macs.join(','), ...(nodeUuid === null ? {} : { node_uuid: nodeUuid }) };
}

/** What an agent learns about its node, and its settings. */
export interface LookupAnswer {
  readonly node: JsonObject & { readonly uuid: string };
  readonly heartbeatTimeoutSeconds: number;
  /** Masked when it was returned before; null when the conductor uses no tokens. */
  readonly token: string | null;
}

/** `config` of the answer, with Ironic's keys. Our agent ignores some that other agents need. */
export function encodeAgentConfig(answer: Omit<LookupAnswer, 'node'>): JsonObject {
  return {
    heartbeat_timeout: answer.heartbeatTimeoutSeconds,
    agent_token: answer.token,
    agent_token_required: true,
    metrics: {
      backend: 'noop',
      prepend_host: false,
      prepend_uuid: false,
      prepend_host_reverse: true,
      global_prefix: null,
    },
    metrics_statsd: { statsd_host: 'localhost', statsd_port: 8125 },
    disable_deep_image_inspection: false,
    permitted_image_formats: ['raw', 'qcow2'],
    enable_bios_bootloader_install: true,
  };
}

export function encodeLookupAnswer<N>(answer: Omit<LookupAnswer, 'node'> & { readonly node: N }): {
  readonly node: N;
  readonly config: JsonObject;
} {
  return { node: answer.node, config: encodeAgentConfig(answer) };
}

export function decodeLookupAnswer(body: unknown): Decoded<LookupAnswer> {
  const answer = isJsonObject(body) ? body : {};
  const { node } = answer;
  const config = isJsonObject(answer['config']) ? answer['config'] : {};
  if (!isJsonObject(node) || typeof node['uuid'] !== 'string')
    return bad('the lookup answer contains no node');
  const timeout = Number(config['heartbeat_timeout']);
  const { agent_token: token } = config;
  return good({
    node: { ...node, uuid: node['uuid'] },
    heartbeatTimeoutSeconds:
      Number.isFinite(timeout) && timeout > 0 ? timeout : DEFAULT_HEARTBEAT_TIMEOUT_SECONDS,
    token: typeof token === 'string' ? token : null,
  });
}
