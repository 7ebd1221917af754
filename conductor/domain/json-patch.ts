/**
 * JSON Patch (RFC 6902) as Ironic accepts it: add, replace and remove, applied in order, all or nothing.
 *
 * Pure and immutable. Paths are JSON pointers (RFC 6901). The caller decides which fields may be patched.
 * restoreMasked replaces masks that a client sends back by the stored secrets.
 */
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { MAX_JSON_DEPTH } from './json-depth.ts';
import { isRedactedUrl, redactedUrl } from './redacted-url.ts';
import { isSecretKey, MASK, mayHoldUrls } from './secrets.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

const good = <T>(value: T): Outcome<T> => ({ ok: true, value });
const bad = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });

/** A request body as a list of operations. */
export function parsePatch(body: unknown): Outcome<PatchOperation[]> {
  if (!Array.isArray(body)) return bad('a patch is a JSON array of {"op", "path", "value"} objects');
  const operations: PatchOperation[] = [];
  for (const [index, item] of body.entries()) {
    const operation = parseOperation(item);
    if (!operation.ok) return bad(`patch operation ${index}: ${operation.reason}`);
    operations.push(operation.value);
  }
  return good(operations);
}

function parseOperation(item: unknown): Outcome<PatchOperation> {
  if (!isJsonObject(item)) return bad('is not an object');
  const unknown = Object.keys(item).find((key) => !['op', 'path', 'value'].includes(key));
  if (unknown !== undefined) return bad(`has an unknown key "${unknown}"`);
  const { op, path, value } = item;
  if (typeof path !== 'string' || !/^(\/([^~/]|~[01])+)+$/.test(path)) {
    return bad('"path" must be a JSON pointer such as "/driver_info/ipmi_address"');
  }
  const segments = segmentsOf(path);
  if (segments.includes('__proto__')) return bad(`"path" ${path} is not allowed`);
  if (segments.length > MAX_JSON_DEPTH) return bad(`"path" has more than ${MAX_JSON_DEPTH} levels`);
  if (op === 'remove') return good({ op, path });
  if (op !== 'add' && op !== 'replace') return bad('"op" must be one of add, replace, remove');
  if (value === undefined) return bad(`"${op}" of ${path} needs a "value"`);
  return good({ op, path, value });
}

/** The decoded names between the slashes of a JSON pointer. */
export function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The field of the resource that a path starts in. */
export function rootOf(path: string): string {
  return segmentsOf(path)[0] ?? '';
}

/** The document after all operations, or the reason why the first invalid one fails. */
export function applyPatch(document: JsonObject, operations: readonly PatchOperation[]): Outcome<JsonObject> {
  let current: Json = document;
  for (const operation of operations) {
    const segments = segmentsOf(operation.path);
    if (segments.length === 1 && operation.op === 'add' && !Object.hasOwn(document, segments[0] ?? '')) {
      return bad(`Adding a new attribute (${operation.path}) to the root of the resource is not allowed`);
    }
    const next = change(current, segments, operation);
    if (!next.ok) {
      return bad(`Couldn't apply patch "${operation.op} ${operation.path}". Reason: ${next.reason}`);
    }
    current = next.value;
  }
  return good(current as JsonObject);
}

function change(target: Json, segments: readonly string[], operation: PatchOperation): Outcome<Json> {
  const [key = '', ...rest] = segments;
  if (Array.isArray(target)) return changeItem(target, key, rest, operation);
  if (!isJsonObject(target))
    return bad(`"${key}" is looked for in something that is neither object nor array`);
  if (rest.length > 0) {
    if (!Object.hasOwn(target, key)) return bad(`"${key}" does not exist`);
    const inner = change(target[key] as Json, rest, operation);
    return inner.ok ? good({ ...target, [key]: inner.value }) : inner;
  }
  if (operation.op !== 'add' && !Object.hasOwn(target, key)) {
    return bad(
      `can't ${operation.op} a non-existent object "${key}"${operation.op === 'replace' ? '; "add" sets it' : ''}`,
    );
  }
  if (operation.op === 'remove') {
    const { [key]: _removed, ...kept } = target;
    return good(kept);
  }
  return good({ ...target, [key]: operation.value });
}

function changeItem(
  target: readonly Json[],
  key: string,
  rest: readonly string[],
  operation: PatchOperation,
): Outcome<Json> {
  const adding = rest.length === 0 && operation.op === 'add';
  const index = key === '-' && adding ? target.length : /^(0|[1-9]\d{0,9})$/.test(key) ? Number(key) : -1;
  const last = adding ? target.length : target.length - 1;
  if (index < 0 || index > last) return bad(`there is no item "${key}" in an array of ${target.length}`);
  if (rest.length > 0) {
    const inner = change(target[index] as Json, rest, operation);
    return inner.ok ? good(target.with(index, inner.value)) : inner;
  }
  if (operation.op === 'remove') return good(target.toSpliced(index, 1));
  return good(adding ? target.toSpliced(index, 0, operation.value) : target.with(index, operation.value));
}

/**
 * Replaces each mask in a document that a client sent back by the secret stored at the same place. When there is no
 * secret at that place, the reason is the path.
 */
export function restoreMasked(stored: Json | undefined, sent: Json, path = ''): Outcome<Json> {
  if (sent === MASK && isSecretKey(path.slice(path.lastIndexOf('/') + 1))) {
    return stored === undefined ? bad(path) : good(stored);
  }
  if (typeof sent === 'string' && isRedactedUrl(sent) && path.split('/').some(mayHoldUrls)) {
    return typeof stored === 'string' && redactedUrl(stored) === sent ? good(stored) : bad(path);
  }
  if (Array.isArray(sent)) {
    const items: Json[] = [];
    for (const [index, item] of sent.entries()) {
      const before = Array.isArray(stored) ? (stored[index] as Json | undefined) : undefined;
      const restored = restoreMasked(before, item, `${path}/${index}`);
      if (!restored.ok) return restored;
      items.push(restored.value);
    }
    return good(items);
  }
  if (!isJsonObject(sent)) return good(sent);
  const entries: [string, Json][] = [];
  for (const [key, value] of Object.entries(sent)) {
    const before = isJsonObject(stored) && Object.hasOwn(stored, key) ? stored[key] : undefined;
    const restored = restoreMasked(before, value, `${path}/${key}`);
    if (!restored.ok) return restored;
    entries.push([key, restored.value]);
  }
  return good(Object.fromEntries(entries));
}
