/**
 * Pages of lists, and the one way to list everything.
 */

export interface Page {
  /** null: every row. */
  readonly limit: number | null;
  /** uuid of the last row of the page before. */
  readonly marker?: string;
  /** A field of the resource; `id` is creation order. */
  readonly sortKey: string;
  readonly sortDir: 'asc' | 'desc';
}

/** Every row, in order of creation. */
export const ALL_ROWS: Page = { limit: null, sortKey: 'id', sortDir: 'asc' };

interface Listed<T, F> {
  list(filter: F, page: Page): Promise<T[]>;
}

/** Everything that matches, in order of creation, however many there are. */
export const listAll = <T, F>(store: Listed<T, F>, filter: NoInfer<F>): Promise<T[]> =>
  store.list(filter, ALL_ROWS);
