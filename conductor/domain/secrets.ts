/**
 * What counts as a secret, in one table. The store uses it to encrypt values, the API to mask answers.
 *
 * The key decides, at any depth. The list is Ironic's (passwords, tokens, keys, `configdrive`, `image_url`) plus the
 * IPMI K_g key, SNMP communities and API keys. Keys are compared without case, `-` and `_`. Of URLs, user info and query
 * are secret.
 */
import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';
import { MASK } from './mask.ts';
import { redactedUrl } from './redacted-url.ts';

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
 * URLs under these keys, and under keys inside of them, may have passwords and signatures in their user info and query.
 * Only these parts are secret.
 */
const URL_PARTS = [
  'image',
  'checksum',
  'hash',
  'kernel',
  'ramdisk',
  'bootloader',
  'iso',
  'url',
  'uri',
  'source',
] as const;
const URL_KEYS: ReadonlySet<string> = new Set(['args']);

type KeyKind = 'secret' | 'url' | 'plain';

/**
 * A cache, because the same few keys occur again and again. It is bounded against requests with many different keys.
 */
const known = new Map<string, KeyKind>();
const MAX_KNOWN = 2_000;

function kindOf(key: string): KeyKind {
  const before = known.get(key);
  if (before !== undefined) return before;
  const plain = key.toLowerCase().replaceAll(/[-_]/g, '');
  const has = (keys: ReadonlySet<string>, parts: readonly string[]): boolean =>
    keys.has(plain) || parts.some((part) => plain.includes(part));
  const kind = has(SECRET_KEYS, SECRET_PARTS) ? 'secret' : has(URL_KEYS, URL_PARTS) ? 'url' : 'plain';
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, kind);
  return kind;
}

export const isSecretKey = (key: string): boolean => kindOf(key) === 'secret';

/** Whether texts under this key may be URLs with secrets. */
export const mayHoldUrls = (key: string): boolean => kindOf(key) === 'url';

/** Absent values and flags are not secret; any other value of a secret key is. */
export const isSecret = (key: string, value: Json): boolean => isGiven(value) && isSecretKey(key);

const isGiven = (value: Json): boolean => value !== null && value !== '' && typeof value !== 'boolean';

/**
 * The JSON with MASK in place of every secret, at any depth. Returns the same object when there is no secret. With
 * `holdsUrls`, texts in it may be URLs with secrets.
 */
export function maskSecrets<T extends Json>(json: T, holdsUrls?: boolean): T;
export function maskSecrets(json: Json, holdsUrls = false): Json {
  if (typeof json === 'string') return holdsUrls ? redactedUrl(json) : json;
  if (Array.isArray(json)) {
    const masked = json.map((item) => maskSecrets(item as Json, holdsUrls));
    return masked.some((item, index) => item !== json[index]) ? masked : json;
  }
  if (!isJsonObject(json)) return json;
  let masked: Record<string, Json> | undefined;
  for (const key of Object.keys(json)) {
    const value = json[key] as Json;
    const kind = kindOf(key);
    const secret = kind === 'secret' && isGiven(value);
    const shown = secret ? MASK : maskSecrets(value, holdsUrls || kind === 'url');
    if (shown === value) continue;
    masked ??= Object.fromEntries(Object.entries(json));
    masked[key] = shown;
  }
  return masked ?? json;
}
