/**
 * One page of a list in memory: the items that pass the filters, sorted, after or before a marker.
 */
import { comparison, type SortKey } from './sorting.ts';

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export interface WantedPage<T> {
  /** Filters: an item is on the list if it passes all of them. */
  readonly tests?: readonly ((item: T) => boolean)[];
  /** Default: the order of the given items. */
  readonly order?: readonly SortKey<T>[];
  readonly marker?: Marker<T> | undefined;
  /** The page ends before the marker instead of starting after it; without a marker, it ends at the end of the list. */
  readonly isReverse?: boolean;
  /** null: no limit. */
  readonly limit: number | null;
}

export interface Marker<T> {
  readonly id: string;
  /** Undefined for an item that can not be a marker. */
  idOf(item: T): unknown;
  /** The error for a marker that matches no item. */
  missing(): Error;
  /**
   * Items that can be markers although the filters may remove them from the list: the page starts where the marker
   * would be in the order. No two items may then be equal in the order. Default: only the items on the list.
   */
  readonly among?: readonly T[];
}

/** Throws `marker.missing()`. */
export function pageOfList<T>(all: readonly T[], wanted: WantedPage<T>): ListPage<T> {
  const { tests = [], order = [], marker, isReverse = false, limit } = wanted;
  const found = tests.length === 0 ? all : all.filter((item) => tests.every((test) => test(item)));
  const compare = comparison(order);
  const items = order.length === 0 ? found : found.toSorted(compare);
  const size = limit ?? items.length;
  const at = marker && placeOf(marker, items, compare);
  const start = isReverse ? Math.max(0, (at?.before ?? items.length) - size) : (at?.after ?? 0);
  const end = isReverse ? (at?.before ?? items.length) : start + size;
  const page = items.slice(start, end);
  return { items: page, hasNext: start + page.length < items.length, hasPrevious: start > 0 };
}

/** Indexes: the end of the page before the marker, and the start of the page after it. */
function placeOf<T>(
  { id, idOf, missing, among }: Marker<T>,
  items: readonly T[],
  compare: (a: T, b: T) => number,
): { readonly before: number; readonly after: number } {
  if (among === undefined) {
    const index = items.findIndex((item) => idOf(item) === id);
    if (index < 0) throw missing();
    return { before: index, after: index + 1 };
  }
  const last = among.find((item) => idOf(item) === id);
  if (last === undefined) throw missing();
  const before = items.filter((item) => compare(item, last) < 0).length;
  const after = items.findLastIndex((item) => compare(item, last) <= 0) + 1;
  return { before, after };
}
