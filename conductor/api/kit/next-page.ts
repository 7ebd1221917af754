/**
 * Links from one page of a list to the next.
 */
import { changedQuery, type QueryValues } from './query-values.ts';

export interface ShownPage {
  readonly limit: number;
  /** Number of items on the page. */
  readonly count: number;
  /** The marker of the next page: mostly the UUID of the last item. */
  readonly last: string | undefined;
}

/**
 * The URL of the next page; undefined if this page is not full. It has the arguments of the request, except `marker`
 * and the arguments in `changes`. The next page may be empty: a full page can be the last one.
 */
export function nextPageUrl(
  listUrl: string,
  query: unknown,
  { limit, count, last }: ShownPage,
  changes: Readonly<Record<string, string>> = {},
): string | undefined {
  if (last === undefined || count < limit) return undefined;
  return `${listUrl}?${changedQuery(query as QueryValues, { ...changes, marker: last })}`;
}
