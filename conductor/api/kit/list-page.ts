/**
 * One page of a list that is in memory: what passes the filters, in order, from a marker on or up to it.
 */
import { comparison, type SortKey } from './sorting.ts';

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export interface WantedPage<T> {
  /** An item is on the list if it passes all of them. */
  readonly tests?: readonly ((item: T) => boolean)[];
  /** None: as the items come. */
  readonly order?: readonly SortKey<T>[];
  readonly marker?: Marker<T> | undefined;
  /** The page ends before the marker, or at the end of the list, and does not begin after it. */
  readonly isReverse?: boolean;
  /** null: all there are. */
  readonly limit: number | null;
}

export interface Marker<T> {
  readonly id: string;
  /** Undefined for items that are never markers. */
  idOf(item: T): unknown;
  /** The error for a marker that no item has. */
  missing(): Error;
  /**
   * Items that may be markers, where these need not be on the list themselves: the page goes on where the marker
   * would stand. The order must then tell any two items apart. The list itself when left out.
   */
  readonly among?: readonly T[];
}

/** Throws the error of the marker. */
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

/** Where a page ends that is before the marker, and where one begins that is after it. */
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
