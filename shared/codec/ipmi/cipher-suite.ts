/**
 * Cipher suites (IPMI 2.0 table 22-20) and the algorithms they name (tables 13-17 to 13-19).
 *
 * Only suites that authenticate, sign and encrypt are listed: suite 0 has no security at all, 1, 2, 15 and 16 leave
 * commands readable, and the MD5 and RC4 ones are broken.
 */
export interface CipherSuite {
  readonly id: number;
  /** Hash of the RAKP authentication codes and of the session keys. */
  readonly hash: 'sha1' | 'sha256';
  /** Authentication algorithm: 0x01 RAKP-HMAC-SHA1, 0x03 RAKP-HMAC-SHA256. */
  readonly authentication: number;
  /** Integrity algorithm: 0x01 HMAC-SHA1-96, 0x04 HMAC-SHA256-128. */
  readonly integrity: number;
  /** Confidentiality algorithm: 0x01 AES-CBC-128. */
  readonly confidentiality: number;
  /** Bytes of the key exchange authentication code in RAKP 2 and 3. */
  readonly keyExchangeBytes: number;
  /** Bytes of the integrity check value in RAKP 4 and of every packet's authentication code. */
  readonly authCodeBytes: number;
}

export const CIPHER_SUITES = {
  3: {
    id: 3,
    hash: 'sha1',
    authentication: 0x01,
    integrity: 0x01,
    confidentiality: 0x01,
    keyExchangeBytes: 20,
    authCodeBytes: 12,
  },
  17: {
    id: 17,
    hash: 'sha256',
    authentication: 0x03,
    integrity: 0x04,
    confidentiality: 0x01,
    keyExchangeBytes: 32,
    authCodeBytes: 16,
  },
} as const satisfies Readonly<Record<number, CipherSuite>>;

export type CipherSuiteId = keyof typeof CIPHER_SUITES;

export const isCipherSuiteId = (id: number): id is CipherSuiteId => Object.hasOwn(CIPHER_SUITES, id);

/** The strongest first. */
export const CIPHER_SUITE_IDS: readonly CipherSuiteId[] = [17, 3];
