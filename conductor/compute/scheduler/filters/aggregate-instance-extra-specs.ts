/**
 * AggregateInstanceExtraSpecsFilter: extra specs against the metadata of the host's aggregates. A key must be there,
 * and one of its values must match.
 */
import type { Filter } from './filter.ts';

export const aggregateInstanceExtraSpecs: Filter = (host, { aggregateSpecs }) => {
  for (const { key, path, text, matches } of aggregateSpecs) {
    const values = host.aggregateMetadata.get(path[0]!);
    if (values === undefined) return `no aggregate has ${path[0]}, asked for ${key}=${text}`;
    if (!values.some(matches))
      return `aggregates have ${path[0]}=${values.join(',')}, asked for ${key}=${text}`;
  }
  return undefined;
};
