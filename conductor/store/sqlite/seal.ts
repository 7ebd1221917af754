/**
 * Removes secrets from JSON and puts them back, by JSON pointer (RFC 6901).
 *
 * MASK replaces a removed secret, and the secret parts of a URL, which is removed as a whole. A client that sends MASK under a secret key keeps the stored secret: so a client can
 * send back a document that it has read, without overwriting the password.
 */
import type { Json } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import { isRedactedUrl, redactedUrl } from '../../domain/redacted-url.ts';
import { isSecret, MASK, mayHoldUrls } from '../../domain/secrets.ts';

/** Secrets of one row, by pointer. */
export type SecretValues = ReadonlyMap<string, Json>;

/** The changes that a write makes to the secrets of its row. */
export interface SecretChange {
  /** Fields that are written: their stored secrets are deleted... */
  readonly fields: string[];
  /** ...except the secrets at these pointers... */
  readonly keep: string[];
  /** ...and these secrets are added. */
  readonly put: Map<string, Json>;
}

export function mergeChanges(a: SecretChange, b: SecretChange): SecretChange {
  return {
    fields: [...a.fields, ...b.fields],
    keep: [...a.keep, ...b.keep],
    put: new Map([...a.put, ...b.put]),
  };
}

/** With `holdsUrls`, texts in the JSON may be URLs with secrets, which are left redacted. */
export function seal(json: Json, pointer: string, change: SecretChange, holdsUrls = false): Json {
  if (typeof json === 'string') return holdsUrls ? sealUrl(json, pointer, change) : json;
  if (Array.isArray(json)) {
    return json.map((item: Json, index) => seal(item, `${pointer}/${index}`, change, holdsUrls));
  }
  if (!isJsonObject(json)) return json;
  const entries = Object.entries(json).map(([key, value]): [string, Json] => {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (value === undefined || !isSecret(key, value))
      return [key, seal(value, at, change, holdsUrls || mayHoldUrls(key))];
    if (value === MASK) change.keep.push(at);
    else change.put.set(at, value);
    return [key, MASK];
  });
  return Object.fromEntries(entries);
}

function sealUrl(text: string, pointer: string, change: SecretChange): string {
  const redacted = redactedUrl(text);
  if (redacted !== text) change.put.set(pointer, text);
  else if (isRedactedUrl(text)) change.keep.push(pointer);
  return redacted;
}

/** Changes `json` in place, so nothing else may refer to it. */
export function unseal(json: Json, pointer: string, secrets: SecretValues | undefined): Json {
  for (const [at, value] of secrets ?? []) {
    if (at.startsWith(`${pointer}/`)) replace(json, at.slice(pointer.length + 1).split('/'), value);
  }
  return json;
}

function replace(json: Json, path: readonly string[], value: Json): void {
  const keys = path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  let parent: Json | undefined = json;
  for (const key of keys) parent = own(parent, key);
  if (last === undefined) return;
  const stored = own(parent, last);
  const isRedacted = typeof value === 'string' && stored === redactedUrl(value) && stored !== value;
  if (stored === MASK || isRedacted) (parent as Record<string, Json>)[last] = value;
}

function own(json: Json | undefined, key: string): Json | undefined {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, key)
    ? (json as Readonly<Record<string, Json>>)[key]
    : undefined;
}
