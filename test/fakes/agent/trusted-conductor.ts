/**
 * A conductor on loopback TLS that demands boot proofs: the real check of proofs and nonces, with the test's answers.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { BootIdentity } from '@ingot/agent/boot-trust.ts';
import { type BootNonces, createBootNonces } from '@ingot/conductor/agent-link/boot-nonces.ts';
import {
  decodeProof,
  digestOf,
  isProven,
  NONCE_HEADER,
  PROOF_HEADER,
  type ProofPurpose,
} from '@ingot/shared/agent/boot-proof.ts';
import { pinOfKey } from '@ingot/shared/tls/public-key-pin.ts';
import { newPrivateKey, selfSigned, type TlsIdentity } from '@ingot/shared/tls/self-signed.ts';
import { lookupAnswer, NODE_UUID } from './fake-conductor.ts';

const PURPOSES: Readonly<Record<string, ProofPurpose>> = {
  lookup: 'lookup',
  heartbeat: 'heartbeat',
  continue_inspection: 'inspection',
};
const ANSWERS: Readonly<Record<ProofPurpose, unknown>> = {
  lookup: lookupAnswer().body,
  heartbeat: null,
  inspection: { uuid: NODE_UUID },
};

export interface TrustedConductor {
  /** What an agent that it booted knows. */
  readonly trust: BootIdentity;
  readonly identity: TlsIdentity;
  /** Purpose and status of every request. */
  readonly seen: string[];
  /** Bodies of the accepted requests. */
  readonly bodies: unknown[];
  /** Forgets its nonces, as a conductor that starts again. */
  restart(): void;
  close(): void;
}

export const BOOT_SECRET = 'secret-of-this-boot-abcdefghijklmnopqrstuvw';

export async function startTrustedConductor(): Promise<TrustedConductor> {
  const identity = selfSigned('conductor', newPrivateKey());
  let nonces: BootNonces = createBootNonces();
  const seen: string[] = [];
  const bodies: unknown[] = [];

  function statusOf(purpose: ProofPurpose, header: string | undefined, body: string): number {
    const proof = decodeProof(String(header));
    const number = proof && nonces.numberOf(proof.nonce);
    if (proof === undefined || number === undefined) return 401;
    const request = { purpose, nonce: proof.nonce, nodeUuid: NODE_UUID, bodyDigest: digestOf(body) };
    if (!isProven(BOOT_SECRET, request, proof.mac)) return 403;
    return nonces.use(NODE_UUID, number) ? 200 : 401;
  }

  const server = createServer(
    { key: identity.key, cert: identity.certificate },
    async (request, response) => {
      const body = await text(request);
      const purpose = PURPOSES[request.url?.split(/[/?]/)[2] ?? ''] ?? 'lookup';
      const status = statusOf(purpose, request.headers[PROOF_HEADER]?.toString(), body);
      seen.push(`${purpose} ${status}`);
      if (status === 200) bodies.push(JSON.parse(body));
      response.writeHead(status, { [NONCE_HEADER]: nonces.make(), 'content-type': 'application/json' });
      response.end(status === 200 ? JSON.stringify(ANSWERS[purpose]) : '{}');
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    trust: {
      apiUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      pin: pinOfKey(identity.key),
      nodeUuid: NODE_UUID,
      bootSecret: BOOT_SECRET,
      identity: selfSigned('agent', newPrivateKey()),
    },
    identity,
    seen,
    bodies,
    restart() {
      nonces = createBootNonces();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
