/**
 * Pages of lists, and the one way to list everything.
 */

export interface Page {
  readonly limit: number;
  /** uuid of the last row of the page before. */
  readonly marker?: string;
  /** A field of the resource; `id` is creation order. */
  readonly sortKey: string;
  readonly sortDir: 'asc' | 'desc';
}

/** What a list reads: a page, or every row. */
export type Rows = Page | (Omit<Page, 'limit'> & { readonly limit: null });

/** Every row, in order of creation. */
export const ALL_ROWS: Rows = { limit: null, sortKey: 'id', sortDir: 'asc' };

interface Listed<T, F> {
  list(filter: F, rows: Rows): Promise<T[]>;
}

/** Everything that matches, in order of creation, however many there are. */
export const listAll = <T, F>(store: Listed<T, F>, filter: NoInfer<F>): Promise<T[]> =>
  store.list(filter, ALL_ROWS);
