/**
 * Columns for the fields of a wire table: the column kind of each field kind.
 */
import { type CamelCase, camelCase } from '@ingot/shared/ironic/casing.ts';
import type { FieldKind } from '@ingot/shared/ironic/field-values.ts';
import type { FieldRow, KeptKind } from '@ingot/shared/ironic/wire-field.ts';
import type { ColumnKind } from './row-codec.ts';

const COLUMN_KINDS = {
  text: 'text',
  word: 'text',
  required: 'text',
  uuid: 'text',
  flag: 'boolean',
  maybeFlag: 'boolean',
  integer: 'integer',
  time: 'time',
  dict: 'sealed',
} as const satisfies Record<KeptKind, ColumnKind>;

type KeptColumns<R extends FieldRow> = {
  readonly [Row in R as Row[2] extends KeptKind ? CamelCase<Row[0]> : never]: Row[2] extends KeptKind
    ? (typeof COLUMN_KINDS)[Row[2]]
    : never;
};

const isKept = (kind: FieldKind): kind is KeptKind => Object.hasOwn(COLUMN_KINDS, kind);

/** Fields that are not stored in a column of the same name (kinds such as `derived`) are left out. */
export const columnsOf = <const R extends readonly FieldRow[]>(rows: R): KeptColumns<R[number]> =>
  Object.fromEntries(
    rows.flatMap(([wire, , kind]) => (isKept(kind) ? [[camelCase(wire), COLUMN_KINDS[kind]]] : [])),
  ) as KeptColumns<R[number]>;
