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

/** Few different keys come up again and again; those of hostile bodies must not stay for ever. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 2_000;

export function isSecretKey(key: string): boolean {
  const before = known.get(key);
  if (before !== undefined) return before;
  const plain = key.toLowerCase().replaceAll(/[-_]/g, '');
  const secret = SECRET_KEYS.has(plain) || SECRET_PARTS.some((part) => plain.includes(part));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, secret);
  return secret;
}

/** Nothing to hide in an absent value or a flag; everything else under a secret key is hidden whole. */
export function isSecret(key: string, value: Json): boolean {
  return value !== null && value !== '' && typeof value !== 'boolean' && isSecretKey(key);
}

/** The same JSON with MASK in place of every secret, at any depth; the very same where there is none. */
export function maskSecrets<T extends Json>(json: T): T;
export function maskSecrets(json: Json): Json {
  if (Array.isArray(json)) {
    const masked = json.map((item) => maskSecrets(item as Json));
    return masked.some((item, index) => item !== json[index]) ? masked : json;
  }
  if (!isJsonObject(json)) return json;
  let masked: Record<string, Json> | undefined;
  for (const key of Object.keys(json)) {
    const value = json[key] as Json;
    const shown = isSecret(key, value) ? MASK : maskSecrets(value);
    if (shown === value) continue;
    masked ??= Object.fromEntries(Object.entries(json));
    masked[key] = shown;
  }
  return masked ?? json;
}
