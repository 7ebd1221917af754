/**
 * Proof that an agent was booted by its conductor, our own addition to Ironic's protocol.
 *
 * The conductor makes a secret for each boot of the ramdisk and passes it on the kernel command line. The agent sends
 * with its lookup, inspection data and heartbeats
 *
 *     Ingot-Boot-Proof: <nonce>.<mac>
 *
 * where `nonce` is from the conductor's last answer (`Ingot-Boot-Nonce`) and `mac` is base64url of HMAC-SHA256 with the
 * secret over purpose, nonce, node UUID and SHA-256 of the body. A nonce is accepted once. A request with an unknown
 * nonce gets 401 and a new one.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const PROOF_HEADER = 'ingot-boot-proof';
export const NONCE_HEADER = 'ingot-boot-nonce';
/** The token of the session in commands, in place of the query argument `agent_token`. */
export const TOKEN_HEADER = 'ingot-agent-token';

/** What the request is for, so that the proof of one kind of request is of no use for another. */
export type ProofPurpose = 'lookup' | 'inspection' | 'heartbeat';

export interface BootProof {
  /** Empty in the first request, which asks for a nonce. */
  readonly nonce: string;
  readonly mac: string;
}

export interface ProvenRequest {
  readonly purpose: ProofPurpose;
  readonly nonce: string;
  readonly nodeUuid: string;
  /** SHA-256 of the body in lower-case hex. */
  readonly bodyDigest: string;
}

const PROOF = /^([A-Za-z0-9_-]{0,128})\.([A-Za-z0-9_-]{0,64})$/;

export const encodeProof = ({ nonce, mac }: BootProof): string => `${nonce}.${mac}`;

/** undefined if the header is not a proof. */
export function decodeProof(header: string): BootProof | undefined {
  const [, nonce, mac] = PROOF.exec(header) ?? [];
  return nonce === undefined || mac === undefined ? undefined : { nonce, mac };
}

export const digestOf = (body: string | Uint8Array): string =>
  createHash('sha256').update(body).digest('hex');

export function proofMac(secret: string, { purpose, nonce, nodeUuid, bodyDigest }: ProvenRequest): string {
  const text = ['ingot boot proof 1', purpose, nonce, nodeUuid, bodyDigest].join('\n');
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Compares in constant time. */
export function isProven(secret: string, request: ProvenRequest, mac: string): boolean {
  const [given, wanted] = [Buffer.from(mac), Buffer.from(proofMac(secret, request))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
