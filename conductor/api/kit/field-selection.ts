/**
 * Decides which fields of a resource an answer shows, by `fields=`, `detail=` and the microversion.
 */
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { requireVersion } from './microversion.ts';

/** Microversion of `fields=` and of `detail=`. */
export const FIELDS_SINCE = 8;
export const DETAIL_SINCE = 43;

export const FIELD_ARGUMENTS = {
  fields: { kind: 'list', since: FIELDS_SINCE },
  detail: { kind: 'flag', since: DETAIL_SINCE },
} as const;

/** Names to show, or null for all fields of the microversion. The error names the field that is unknown or too new. */
export function selectFields(
  request: FastifyRequest,
  query: { readonly fields?: readonly string[]; readonly detail?: boolean },
  table: readonly WireField[],
  listFields: readonly string[] | null,
): readonly string[] | null {
  if (query.fields !== undefined && query.detail === true) {
    throw new IngotError(
      'invalidParameter',
      "Can't fetch a subset of fields with 'detail' set: give either fields or detail",
    );
  }
  if (query.detail === true) return null;
  if (query.fields === undefined) return listFields;
  const askable = table.filter((field) => !field.hidden && !field.unasked);
  const known = new Map(askable.map((field) => [field.wire, field]));
  const invalid = query.fields.filter((name) => !known.has(name));
  if (invalid.length > 0) {
    throw new IngotError('invalidParameter', `Field(s) "${invalid.join(', ')}" are not valid`);
  }
  for (const name of query.fields) {
    requireVersion(request, known.get(name)?.since ?? 1, `The field "${name}"`);
  }
  return query.fields;
}

/** Rows of the table to show, in the table's order. */
export function shownFields(
  table: readonly WireField[],
  minor: number,
  names: readonly string[] | null,
): WireField[] {
  return table.filter(
    (field) => !field.hidden && field.since <= minor && (names === null || names.includes(field.wire)),
  );
}
