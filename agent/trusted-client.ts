/**
 * The agent's requests to the conductor that booted it: over TLS to the pinned key, each with a proof of the boot
 * secret (shared/agent/boot-proof.ts).
 */
import {
  digestOf,
  encodeProof,
  NONCE_HEADER,
  PROOF_HEADER,
  type ProofPurpose,
  proofMac,
} from '@ingot/shared/agent/boot-proof.ts';
import { encodeHeartbeat, HEARTBEAT_VERSION } from '@ingot/shared/agent/heartbeat.ts';
import { decodeInspectionAnswer, encodeInspection } from '@ingot/shared/agent/inspection.ts';
import { LOOKUP_VERSION } from '@ingot/shared/agent/lookup.ts';
import { Agent } from 'undici';
import type { BootIdentity } from './boot-trust.ts';
import { CONNECT_TIMEOUT_MS, callConductor, HttpError, MOST_ANSWER_BYTES } from './conductor-call.ts';
import { type ConductorClient, readLookup } from './conductor-client.ts';
import { pinnedConnector } from './pinned-connect.ts';

interface ProvenCall {
  readonly purpose: ProofPurpose;
  readonly path: string;
  readonly version: string;
  readonly body: unknown;
}

export function createTrustedClient(trust: BootIdentity): ConductorClient {
  const dispatcher = new Agent({
    connect: pinnedConnector(trust, CONNECT_TIMEOUT_MS),
    maxResponseSize: MOST_ANSWER_BYTES,
  });
  let nonce = '';
  let time: Date | null = null;

  function send({ purpose, path, version, body }: ProvenCall, signal: AbortSignal): Promise<unknown> {
    const text = JSON.stringify(body);
    const { nodeUuid, bootSecret } = trust;
    const mac = proofMac(bootSecret, { purpose, nonce, nodeUuid, bodyDigest: digestOf(text) });
    return callConductor(
      {
        url: `${trust.apiUrl}${path}`,
        version,
        body: text,
        headers: { [PROOF_HEADER]: encodeProof({ nonce, mac: nonce === '' ? '' : mac }) },
        dispatcher,
        onHeaders: (headers) => {
          nonce = String(headers[NONCE_HEADER] ?? '');
          const date = new Date(String(headers['date']));
          if (!Number.isNaN(date.getTime())) time = date;
        },
      },
      signal,
    );
  }

  /** The conductor knows no nonce after its restart, and none before the first request. Its refusal brings one. */
  async function call(request: ProvenCall, signal: AbortSignal): Promise<unknown> {
    try {
      return await send(request, signal);
    } catch (error) {
      if (error instanceof HttpError && error.status === 401 && nonce !== '') return send(request, signal);
      throw error;
    }
  }

  return {
    conductorTime: () => time,

    async lookup(_macs, _nodeUuid, signal) {
      const body = { node_uuid: trust.nodeUuid, agent_verify_ca: trust.identity.certificate };
      const request = { purpose: 'lookup', path: '/v1/lookup', version: LOOKUP_VERSION, body } as const;
      return readLookup(await call(request, signal));
    },
    async heartbeat(nodeUuid, beat, signal) {
      const path = `/v1/heartbeat/${encodeURIComponent(nodeUuid)}`;
      const body = encodeHeartbeat(beat);
      await call({ purpose: 'heartbeat', path, version: HEARTBEAT_VERSION, body }, signal);
    },
    async inspection(data, signal) {
      const path = `/v1/continue_inspection?node_uuid=${encodeURIComponent(trust.nodeUuid)}`;
      // Since 1.84 the conductor accepts the node's uuid; its answer is then the answer to a lookup.
      const request = { purpose: 'inspection', path, version: '1.84', body: encodeInspection(data) } as const;
      return decodeInspectionAnswer(await call(request, signal));
    },
  };
}
