/**
 * Sorts lists in memory as databases do: null comes first, items with equal keys keep their order.
 */
export type Sortable = string | number | boolean | Date | null;
export type Direction = 'asc' | 'desc';

export interface SortKey<T> {
  readonly of: (item: T) => Sortable;
  readonly direction: Direction;
}

type Comparison<T> = (a: T, b: T) => number;

/** Compares by the first key; if equal, by the next key, and so on. */
export const comparison =
  <T>(keys: readonly SortKey<T>[]): Comparison<T> =>
  (a, b) => {
    for (const { of, direction } of keys) {
      const order = compare(of(a), of(b));
      if (order !== 0) return direction === 'asc' ? order : -order;
    }
    return 0;
  };

export const inOrder = <T>(items: readonly T[], keys: readonly SortKey<T>[]): T[] =>
  items.toSorted(comparison(keys));

function compare(a: Sortable, b: Sortable): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
