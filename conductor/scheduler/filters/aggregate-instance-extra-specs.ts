/**
 * AggregateInstanceExtraSpecsFilter: compares extra specs with the metadata of the host's aggregates. Each key must
 * exist, and one of its values must match.
 */
import type { HostState } from '../host-state.ts';
import type { Requirement } from '../request-spec.ts';
import type { Filter } from './filter.ts';

export const aggregateInstanceExtraSpecs: Filter = {
  isAsked: ({ aggregateSpecs }) => aggregateSpecs.length > 0,
  passes: (host, { aggregateSpecs }) => unmet(host, aggregateSpecs) === undefined,
  reason(host, { aggregateSpecs }) {
    const { name, asked } = unmet(host, aggregateSpecs)!;
    const values = host.aggregateMetadata.get(name);
    if (values === undefined) return `no aggregate has ${name}, ${asked}`;
    return `aggregates have ${name}=${values.join(',')}, ${asked}`;
  },
};

const unmet = (host: HostState, specs: readonly Requirement[]): Requirement | undefined =>
  specs.find(({ name, matches }) => host.aggregateMetadata.get(name)?.some(matches) !== true);
