/**
 * Checks a public key that a user imports, and computes its fingerprint.
 */
import { X509Certificate } from 'node:crypto';
import type { Keypair } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import { colons, md5Fingerprint, parsePublicKey } from './ssh-public-key.ts';

type Imported = Pick<Keypair, 'type' | 'publicKey' | 'fingerprint'>;

/** Throws invalidParameter saying what is wrong with the key. */
export function importPublicKey(type: Keypair['type'], text: string): Imported {
  return type === 'ssh' ? importSsh(text) : importX509(text);
}

const invalid = (reason: string): IngotError =>
  new IngotError('invalidParameter', `Keypair data is invalid: failed to generate fingerprint: ${reason}`);

function importSsh(text: string): Imported {
  const parsed = parsePublicKey(text);
  if (!parsed.ok) throw invalid(parsed.reason);
  return { type: 'ssh', publicKey: parsed.line, fingerprint: md5Fingerprint(parsed.blob) };
}

const PEM = /^-----BEGIN CERTIFICATE-----\r?\n[A-Za-z0-9+/=\r\n]{1,16384}-----END CERTIFICATE-----\s*$/;

/** SHA-1 of the certificate, as in Nova. */
function importX509(text: string): Imported {
  if (!PEM.test(text)) throw invalid('it is not one certificate in PEM');
  try {
    const { fingerprint } = new X509Certificate(text);
    const hex = fingerprint.replaceAll(':', '').toLowerCase();
    return { type: 'x509', publicKey: text, fingerprint: colons(hex) };
  } catch {
    throw invalid('it is no X.509 certificate');
  }
}
