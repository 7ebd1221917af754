/**
 * JsonFilter: the query of the hint `query` holds for the host.
 */
import { readerOf } from '../attributes.ts';
import { holds } from '../json-query.ts';
import type { Filter } from './filter.ts';

export const json: Filter = (host, { query }) =>
  query === undefined || holds(query, (path) => readerOf(path)(host))
    ? undefined
    : 'the query of the hint does not hold';
