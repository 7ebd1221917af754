/**
 * Links from one page of a list to the next.
 */
import { changedQuery, type QueryValues } from './query-values.ts';

export interface ShownPage {
  readonly limit: number;
  /** How many items the page has. */
  readonly count: number;
  /** What the next page begins after: mostly the UUID of the last item. */
  readonly last: string | undefined;
}

/**
 * The address of the page after this one, for lists that may go on whenever a page is full: with the arguments of the
 * request, but for `marker` and what `changes` names. Undefined after a page that is not full.
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
