/**
 * One page of a list that is in memory: from a marker on, or up to it.
 */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export interface WantedPage {
  /** Where the item stands that the page follows; -1 is before the first. */
  readonly after?: number;
  /** Where the item stands that the page ends before; in place of `after`. */
  readonly before?: number;
  /** null: all there are. */
  readonly limit: number | null;
}

export function pageOfList<T>(items: readonly T[], { after = -1, before, limit }: WantedPage): ListPage<T> {
  const size = limit ?? items.length;
  const start = before === undefined ? after + 1 : Math.max(0, before - size);
  const page = items.slice(start, before === undefined ? start + size : before);
  return { items: page, hasNext: start + page.length < items.length, hasPrevious: start > 0 };
}
