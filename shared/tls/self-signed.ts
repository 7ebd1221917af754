/**
 * Self-signed certificates (RFC 5280) for the connections between conductor and agent.
 *
 * Each side knows the other's key beforehand, so nothing in a certificate but the key counts. It is valid from 1970 to
 * the end of 9999 (RFC 5280 section 4.1.2.5: no well-defined expiration date), because the clock of a machine that boots
 * a ramdisk may be wrong by decades.
 */
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  explicit0,
  generalizedTime,
  integer,
  objectIdentifier,
  sequence,
  setOf,
  utcTime,
  utf8,
} from './der.ts';

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const SERIAL_BYTES = 16;
const X509_VERSION_3 = Buffer.of(2);

export interface TlsIdentity {
  /** PEM of the private key (PKCS #8). */
  readonly key: string;
  /** PEM of the certificate. */
  readonly certificate: string;
}

/** PEM of a new private key on P-256. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** `name` becomes the common name of subject and issuer. The key must be on P-256. */
export function selfSigned(name: string, key: string): TlsIdentity {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const algorithm = sequence(objectIdentifier(ECDSA_WITH_SHA256));
  const who = sequence(setOf(sequence(objectIdentifier(COMMON_NAME), utf8(name))));
  const body = sequence(
    explicit0(integer(X509_VERSION_3)),
    integer(randomBytes(SERIAL_BYTES)),
    algorithm,
    who,
    sequence(utcTime('700101000000Z'), generalizedTime('99991231235959Z')),
    who,
    publicKey,
  );
  const signed = sequence(body, algorithm, bitString(sign('sha256', body, key)));
  return { key, certificate: pem(signed) };
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
