/**
 * Sorting of lists that are in memory, as databases do it: nothing comes before everything, ties stay as they are.
 */
type Sortable = string | number | boolean | Date | null;

export function inOrder<T>(
  items: readonly T[],
  keyOf: (item: T) => Sortable,
  direction: 'asc' | 'desc' = 'asc',
): T[] {
  const sign = direction === 'asc' ? 1 : -1;
  return items.toSorted((a, b) => sign * compare(keyOf(a), keyOf(b)));
}

function compare(a: Sortable, b: Sortable): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
