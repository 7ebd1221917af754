/**
 * The patch of `application/openstack-images-v2.0-json-patch`, a draft of RFC 6902: `{"replace": "/name", "value":
 * "x"}` is now `{"op": "replace", "path": "/name", "value": "x"}`.
 */
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';

const OPERATIONS = ['add', 'remove', 'replace'] as const;

/**
 * Converts to the current form. Values that are not a list of objects stay unchanged for the reader of that form.
 * Throws invalidParameter.
 */
export function currentPatch(body: unknown): unknown {
  return Array.isArray(body) ? body.map(currentOperation) : body;
}

function currentOperation(older: unknown): unknown {
  if (!isJsonObject(older)) return older;
  const [op, ...others] = OPERATIONS.filter((name) => Object.hasOwn(older, name));
  if (op === undefined || others.length > 0)
    throw new IngotError(
      'invalidParameter',
      'Operation objects must contain exactly one member named "add", "remove", or "replace".',
    );
  const { [op]: path, ...rest } = older;
  return { op, path, ...rest };
}
