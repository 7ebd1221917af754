/**
 * JsonFilter: the query of the hint `query` is true for the host.
 */
import { readerOf } from '../attributes.ts';
import { holds } from '../json-query.ts';
import type { Filter } from './filter.ts';

export const json: Filter = {
  isAsked: ({ query }) => query !== undefined,
  passes: (host, { query }) => holds(query!, (path) => readerOf(path)(host)),
  reason: () => 'the query of the hint does not hold',
};
