/**
 * AggregateInstanceExtraSpecsFilter: extra specs against the metadata of the host's aggregates. A key must be there,
 * and one of its values must match.
 */
import type { Filter } from './filter.ts';

export const aggregateInstanceExtraSpecs: Filter = (host, { aggregateSpecs }) => {
  for (const { name, asked, matches } of aggregateSpecs) {
    const values = host.aggregateMetadata.get(name);
    if (values === undefined) return `no aggregate has ${name}, ${asked}`;
    if (!values.some(matches)) return `aggregates have ${name}=${values.join(',')}, ${asked}`;
  }
  return undefined;
};
