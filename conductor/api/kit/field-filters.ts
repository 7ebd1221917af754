/**
 * Filters of a list by the fields of its table: `?resource_class=gold` keeps the records with this value.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import type { FieldKind } from '@ingot/shared/ironic/field-values.ts';
import type { FieldRow, FieldsWith, WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { Argument, Arguments } from './query.ts';

/** Kinds of fields whose query argument is not text. */
const QUERY_KINDS: Readonly<Partial<Record<FieldKind, Argument['kind']>>> = {
  flag: 'flag',
  maybeFlag: 'flag',
  uuid: 'uuid',
  integer: 'integer',
};

type QueryValue<K extends FieldKind> = K extends 'flag' | 'maybeFlag'
  ? boolean
  : K extends 'integer'
    ? number
    : string;

/** The parsed query arguments of these rows. */
export type FieldQuery<R extends FieldRow> = {
  readonly [Row in R as Row[0] & FieldsWith<R, 'f'>]?: QueryValue<Row[2]>;
};

const filterable = (fields: readonly WireField[]) =>
  fields.filter(({ filterSince }) => filterSince !== undefined);

/** One argument for every field that a list may be filtered by. */
export const filterArguments = (fields: readonly WireField[]): Arguments =>
  Object.fromEntries(
    filterable(fields).map(({ wire, kind, filterSince }) => [
      wire,
      {
        kind: QUERY_KINDS[kind] ?? 'text',
        ...(filterSince === 1 || filterSince === undefined ? {} : { since: filterSince }),
      },
    ]),
  );

/** The values to filter by, by the names of stored fields; undefined for a field that the query does not name. */
export const fieldFilter = (
  query: Readonly<Record<string, unknown>>,
  fields: readonly WireField[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(filterable(fields).map(({ wire }) => [camelCase(wire), query[wire]]));
