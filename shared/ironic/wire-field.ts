/**
 * A field on the wire, and tables of fields: the API microversion, the kind of value, and who may do what with it.
 */
import type { CamelCase } from './casing.ts';
import type { FieldKind, FieldValue } from './field-values.ts';

export interface WireField {
  readonly wire: string;
  /** API microversion 1.N. */
  readonly since: number;
  readonly kind: FieldKind;
  /** May be given at POST. */
  readonly create?: boolean;
  /** May be the root of a PATCH path. */
  readonly patch?: boolean;
  /** May be a sort_key. */
  readonly sort?: boolean;
  /** A list may be filtered by its value, from this microversion on. */
  readonly filterSince?: number;
  readonly maxLength?: number;
  /** The value after removal, when it is not the kind's empty value. */
  readonly fallback?: FieldValue;
  /** May be set and is never shown. */
  readonly hidden?: true;
  /** Shown, but not selectable by `fields=`. */
  readonly unasked?: true;
  /** Older requests may neither set its empty value nor remove it. */
  readonly strict?: true;
  /** The policy for seeing it. Other callers see `seenBy` instead of the value. */
  readonly seenBy?: string;
  /** The policy for changing it, when it differs from the policy of the resource. */
  readonly changedBy?: string;
}

/** Access: c create, p patch, s sort, f filter (from `filterSince`, default `since`). */
export type FieldRow = readonly [
  wire: string,
  since: number,
  kind: FieldKind,
  access: string,
  more?: Omit<WireField, 'wire' | 'since' | 'kind' | 'create' | 'patch' | 'sort'>,
];

export function fieldTable(rows: readonly FieldRow[]): readonly WireField[] {
  return rows.map(([wire, since, kind, access, more]) => ({
    wire,
    since,
    kind,
    create: access.includes('c'),
    patch: access.includes('p'),
    sort: access.includes('s'),
    ...(access.includes('f') ? { filterSince: since } : {}),
    ...more,
  }));
}

/** Names of the rows with this access letter. */
export type FieldsWith<R extends FieldRow, Letter extends string> = Extract<
  R,
  readonly [string, number, FieldKind, `${string}${Letter}${string}`, ...unknown[]]
>[0];

/** The stored type of each kind of field. */
interface KeptAs<Dict> {
  readonly text: string | null;
  readonly word: string;
  readonly required: string;
  readonly uuid: string | null;
  readonly flag: boolean;
  readonly maybeFlag: boolean | null;
  readonly integer: number;
  readonly time: Date | null;
  readonly dict: Dict;
}

export type KeptKind = keyof KeptAs<unknown>;

/** The type of the record that these rows describe, without fields that are only shown. */
export type KeptFields<R extends FieldRow, Dict> = {
  readonly [Row in R as Row[2] extends KeptKind ? CamelCase<Row[0]> : never]: Row[2] extends KeptKind
    ? KeptAs<Dict>[Row[2]]
    : never;
};
