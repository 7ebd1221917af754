/**
 * JsonFilter: the query of the hint `query` holds for the host.
 */
import { attributeOf } from '../attributes.ts';
import { holds } from '../json-query.ts';
import type { Filter } from './filter.ts';

export const json: Filter = (host, { query }) =>
  query === undefined || holds(query, (path) => attributeOf(host, path))
    ? undefined
    : 'the query of the hint does not hold';
