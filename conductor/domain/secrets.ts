/**
 * What counts as a secret, in one table. The store uses it to encrypt values, the API to mask answers.
 *
 * The key decides, at any depth. The list is Ironic's (passwords, tokens, keys, `configdrive`, `image_url`) plus the
 * IPMI K_g key, SNMP communities and API keys. Keys are compared without case, `-` and `_`.
 */
import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';
import { MASK } from './mask.ts';

export { MASK };

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

/** Matched only as whole keys. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['imageurl']);

/**
 * A cache, because the same few keys occur again and again. It is bounded against requests with many different keys.
 */
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

/** Absent values and flags are not secret; any other value of a secret key is. */
export function isSecret(key: string, value: Json): boolean {
  return value !== null && value !== '' && typeof value !== 'boolean' && isSecretKey(key);
}

/** The JSON with MASK in place of every secret, at any depth. Returns the same object when there is no secret. */
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
