/**
 * What counts as a secret: one table, used by the store to keep values apart and by the API to mask answers.
 *
 * A value is a secret because of its key, at any depth. The list is Ironic's (passwords, tokens, keys,
 * `configdrive`, `image_url`), with the IPMI K_g key, SNMP communities and API keys, which are passwords by
 * another name. Keys are compared without case, `-` and `_`.
 */
import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';

/** Stands for a secret in answers and in rows. */
export const MASK = '******';

const SECRET_PARTS = [
  'password',
  'passwd',
  'passphrase',
  'pswd',
  'adminpass',
  'newpass',
  'token',
  'secret',
  'configdrive',
  'privatekey',
  'privkey',
  'authkey',
  'apikey',
  'accesskey',
  'encryptedkey',
  'sslkey',
  'fernetkey',
  'kgkey',
  'snmpcommunity',
] as const;

/** Whole keys: a part of these words says nothing. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['imageurl']);

export function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replaceAll(/[-_]/g, '');
  return SECRET_KEYS.has(plain) || SECRET_PARTS.some((part) => plain.includes(part));
}

/** Nothing to hide in an absent value or a flag; everything else under a secret key is hidden whole. */
export function isSecret(key: string, value: Json): boolean {
  return value !== null && value !== '' && typeof value !== 'boolean' && isSecretKey(key);
}

/** The same JSON with MASK in place of every secret, at any depth. */
export function maskSecrets<T extends Json>(json: T): T;
export function maskSecrets(json: Json): Json {
  if (Array.isArray(json)) return json.map((item) => maskSecrets(item as Json));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, isSecret(key, value) ? MASK : maskSecrets(value)]),
  );
}
