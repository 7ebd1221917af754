/**
 * Decides whether a request of a ramdisk comes from the agent that the conductor booted.
 */
import { isProven, type ProofPurpose } from '@ingot/shared/agent/boot-proof.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { RamdiskSender } from '../domain/ramdisk-intake.ts';
import type { BootNonces } from './boot-nonces.ts';

export interface BootCheckDeps {
  readonly nonces: BootNonces;
  readonly trust: BootTrust;
  /** The setting agent.allow_plaintext. */
  readonly allowPlaintext: boolean;
}

/** True for a proven request, false for one of the old protocol where that is allowed. */
export type BootCheck = (node: Node, purpose: ProofPurpose, sender: RamdiskSender) => Promise<boolean>;

/** What a request is called in events. */
const NAMES: Readonly<Record<ProofPurpose, string>> = {
  lookup: 'a lookup',
  inspection: 'inspection data',
  heartbeat: 'a heartbeat',
};

const staleNonce = (): IngotError =>
  new IngotError('unauthorized', 'The boot proof needs the nonce of this answer.');
const notProven = (): IngotError =>
  new IngotError(
    'forbidden',
    'This conductor answers only agents that prove the boot secret of their kernel command line.',
  );

export function createBootCheck({ nonces, trust, allowPlaintext }: BootCheckDeps): BootCheck {
  async function refuse(node: Node, purpose: ProofPurpose, { source }: RamdiskSender, why: string) {
    await trust.refused(node.uuid, { from: source, what: `${NAMES[purpose]} ${why}` });
    return notProven();
  }

  return async (node, purpose, sender) => {
    const { proof } = sender;
    if (proof === undefined) {
      if (allowPlaintext && node.agent?.proven !== true) return false;
      throw await refuse(node, purpose, sender, 'without the boot secret');
    }
    const number = nonces.numberOf(proof.nonce);
    if (number === undefined) throw staleNonce();
    const secret = node.bootTarget?.kind === 'ramdisk' ? node.bootTarget.bootSecret : undefined;
    const { nonce, bodyDigest, mac } = proof;
    const request = { purpose, nonce, nodeUuid: node.uuid, bodyDigest };
    if (secret === undefined || !isProven(secret, request, mac))
      throw await refuse(node, purpose, sender, 'with a wrong boot secret');
    if (!nonces.use(node.uuid, number)) throw staleNonce();
    return true;
  };
}
