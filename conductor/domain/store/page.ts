/**
 * Pages of lists, and lists of all rows.
 */

export interface Page {
  readonly limit: number;
  /** uuid of the last row of the previous page. */
  readonly marker?: string;
  /** A field of the resource; `id` sorts by creation. */
  readonly sortKey: string;
  readonly sortDir: 'asc' | 'desc';
}

/** The rows that a list reads: one page, or all. */
export type Rows = Page | (Omit<Page, 'limit'> & { readonly limit: null });

/** Every row, in order of creation. */
export const ALL_ROWS: Rows = { limit: null, sortKey: 'id', sortDir: 'asc' };

interface Listed<T, F> {
  list(filter: F, rows: Rows): Promise<T[]>;
}

/** All rows that match, in order of creation. */
export const listAll = <T, F>(store: Listed<T, F>, filter: NoInfer<F>): Promise<T[]> =>
  store.list(filter, ALL_ROWS);
