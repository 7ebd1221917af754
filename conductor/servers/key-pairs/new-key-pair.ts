/**
 * The keys of a new key pair: an imported public key, or a generated pair.
 */
import type { Keypair } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import { importPublicKey } from './public-key-import.ts';
import { generateSshKeyPair } from './ssh-key-pair.ts';
import { md5Fingerprint } from './ssh-public-key.ts';

/** The comment that Nova uses. */
const COMMENT = 'Generated-by-Nova';

export interface NewKeys extends Pick<Keypair, 'type' | 'publicKey' | 'fingerprint'> {
  /** PEM of a generated key; it is not stored. */
  readonly privateKey?: string;
}

/** Throws invalidParameter for an invalid public key, and for certificates without one. */
export async function newKeys(type: Keypair['type'], publicKey: string | undefined): Promise<NewKeys> {
  if (publicKey !== undefined) return importPublicKey(type, publicKey);
  if (type === 'x509') {
    throw new IngotError(
      'invalidParameter',
      'Keypair data is invalid: certificates are not made here. Make one and give it as public_key.',
    );
  }
  const pair = await generateSshKeyPair(COMMENT);
  return {
    type,
    publicKey: pair.publicKey,
    fingerprint: md5Fingerprint(pair.blob),
    privateKey: pair.privateKey,
  };
}
