/**
 * Checks bodies of POST and results of PATCH against the field table: refuses, by name, unknown fields, fields newer
 * than the request's microversion and values of the wrong kind.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { emptyValue, type FieldValue, parseFieldValue } from '@ingot/shared/ironic/field-values.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { depthExceeds, MAX_JSON_DEPTH } from '../../domain/json-depth.ts';
import {
  applyPatch,
  type Outcome,
  type PatchOperation,
  parsePatch,
  restoreMasked,
  rootOf,
} from '../../domain/json-patch.ts';
import { MASK } from '../../domain/secrets.ts';
import { requireVersion } from './microversion.ts';

export type FieldValues = Readonly<Record<string, FieldValue>>;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

const byTable = new WeakMap<readonly WireField[], ReadonlyMap<string, WireField>>();

/** The fields of a table that a POST may set. */
function creatable(table: readonly WireField[]): ReadonlyMap<string, WireField> {
  const known =
    byTable.get(table) ?? new Map(table.filter((field) => field.create).map((field) => [field.wire, field]));
  byTable.set(table, known);
  return known;
}

/** The fields in a POST body, by camelCase name. Fields that are null are left out. */
export function parseCreate(
  request: FastifyRequest,
  resource: string,
  table: readonly WireField[],
  required: readonly string[],
): FieldValues {
  const { body } = request;
  if (!isJsonObject(body)) throw invalid(`Schema error for ${resource}: the body must be a JSON object`);
  const known = creatable(table);
  const unknown = Object.keys(body).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw invalid(
      `Schema error for ${resource}: Additional properties are not allowed (${unknown.map((name) => `'${name}'`).join(', ')} can not be set here)`,
    );
  }
  const missing = required.find((name) => body[name] === undefined || body[name] === null);
  if (missing !== undefined) {
    throw new IngotError(
      'missingParameter',
      `Schema error for ${resource}: '${missing}' is a required property`,
    );
  }
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
      const field = known.get(name) as WireField;
      const parsed = parseField(resource, field, value);
      if (field.strict || value !== emptyValue(field.kind))
        requireVersion(request, field.since, `The field "${name}"`);
      return [camelCase(name), unmasked(resource, name, undefined, parsed)];
    }),
  );
}

function parseField(resource: string, field: WireField, value: unknown): FieldValue {
  const parsed = parseFieldValue(field.kind, value ?? field.fallback ?? null, field.maxLength);
  if (!parsed.ok) throw invalid(`Schema error for ${resource}: ${field.wire} ${parsed.reason}`);
  return parsed.value;
}

/** Replaces masks in a client's value with the stored secrets. Throws invalidParameter for a mask without a secret. */
function unmasked(
  resource: string,
  name: string,
  stored: JsonObject | undefined,
  sent: FieldValue,
): FieldValue {
  if (typeof sent !== 'object' || sent === null) return sent;
  const restored: Outcome<unknown> = restoreMasked(stored, sent as Json, name);
  if (restored.ok) return restored.value as FieldValue;
  throw invalid(
    `Schema error for ${resource}: "${MASK}" at ${restored.reason} is the mask of a secret, not its value. Send the real value, or leave it out.`,
  );
}

/** The operations of a PATCH body. Every path must start with a patchable field of the microversion. */
export function patchOperations(
  request: FastifyRequest,
  patchable: ReadonlyMap<string, WireField>,
): PatchOperation[] {
  const parsed = parsePatch(request.body);
  if (!parsed.ok) throw invalid(`Schema error for patch: ${parsed.reason}`);
  for (const { op, path } of parsed.value) {
    const field = patchable.get(rootOf(path));
    if (field === undefined) {
      throw invalid(
        `Cannot patch ${path}. Only the following can be updated: ${[...patchable.keys()].toSorted().join(', ')}`,
      );
    }
    if (op !== 'remove' || field.strict) requireVersion(request, field.since, `The field "${field.wire}"`);
  }
  return parsed.value;
}

/** The fields that the operations change, with their checked values after all operations. Throws invalidParameter. */
export function patchedFields(
  document: JsonObject,
  operations: readonly PatchOperation[],
  patchable: ReadonlyMap<string, WireField>,
): (readonly [WireField, FieldValue])[] {
  const patched = applyPatch(document, operations);
  if (!patched.ok) throw invalid(patched.reason);
  const touched = new Set(operations.map(({ path }) => rootOf(path)));
  // Several operations may nest deeper than each of them does.
  const tooDeep = [...touched].find((name) => depthExceeds(patched.value[name], MAX_JSON_DEPTH - 1));
  if (tooDeep !== undefined)
    throw invalid(`After the patch, ${tooDeep} is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return [...touched].map((name) => {
    const field = patchable.get(name) as WireField;
    const value = parseField('patch', field, patched.value[name]);
    return [field, unmasked('patch', name, document[name] as JsonObject, value)] as const;
  });
}
