/**
 * A field on the wire, and tables of them: since which API microversion it exists, what it holds, what may be done
 * with it.
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
  /** What it is when it is taken away, where that is not the kind's empty value. */
  readonly fallback?: FieldValue;
  /** May be given and is never shown. */
  readonly hidden?: true;
  /** Shown, and not to be asked for by `fields=`. */
  readonly unasked?: true;
  /** Older requests may neither give its empty value nor remove it. */
  readonly strict?: true;
  /** The policy that lets see it; the others see which one it is in its place. */
  readonly seenBy?: string;
  /** The policy that lets change it, where that is not the one of the whole resource. */
  readonly changedBy?: string;
}

/** Access: c create, p patch, s sort, f filter (from `filterSince` on where that is not `since`). */
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

/** Names of the rows whose access has this letter. */
export type FieldsWith<R extends FieldRow, Letter extends string> = Extract<
  R,
  readonly [string, number, FieldKind, `${string}${Letter}${string}`, ...unknown[]]
>[0];

/** What is kept of a field of each kind, as long as nothing else is said. */
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

/** The record that these rows describe, without fields that are shown and not kept as such. */
export type KeptFields<R extends FieldRow, Dict> = {
  readonly [Row in R as Row[2] extends KeptKind ? CamelCase<Row[0]> : never]: Row[2] extends KeptKind
    ? KeptAs<Dict>[Row[2]]
    : never;
};
