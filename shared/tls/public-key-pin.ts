/**
 * The pin of a public key: base64url of the SHA-256 of its SubjectPublicKeyInfo, 43 characters (the `pin-sha256` of
 * RFC 7469, in an alphabet that a kernel command line can contain).
 */
import { createHash, createPublicKey, X509Certificate } from 'node:crypto';

export const PIN = /^[A-Za-z0-9_-]{43}$/;

const pinOf = (spki: Buffer): string => createHash('sha256').update(spki).digest('base64url');

/** Throws if the PEM contains no key. */
export function pinOfKey(pem: string): string {
  return pinOf(createPublicKey(pem).export({ type: 'spki', format: 'der' }));
}

export function pinOfCertificate(certificate: X509Certificate): string {
  return pinOf(certificate.publicKey.export({ type: 'spki', format: 'der' }));
}

/** Whether the PEM is one certificate that can be read. */
export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).publicKey.asymmetricKeyType !== undefined;
  } catch {
    return false;
  }
}
