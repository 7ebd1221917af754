/**
 * The filters by the names of Nova's `enabled_filters`.
 */
import { aggregateInstanceExtraSpecs } from './aggregate-instance-extra-specs.ts';
import { allHosts } from './all-hosts.ts';
import { availabilityZone } from './availability-zone.ts';
import { compute } from './compute.ts';
import { computeCapabilities } from './compute-capabilities.ts';
import { core } from './core.ts';
import { differentHost } from './different-host.ts';
import { disk } from './disk.ts';
import type { Filter } from './filter.ts';
import { imageProperties } from './image-properties.ts';
import { type Isolation, isolatedHosts } from './isolated-hosts.ts';
import { json } from './json.ts';
import { ram } from './ram.ts';
import { resources } from './resources.ts';
import { retry } from './retry.ts';
import { sameHost } from './same-host.ts';
import { serverGroupAffinity } from './server-group-affinity.ts';
import { serverGroupAntiAffinity } from './server-group-anti-affinity.ts';
import { traits } from './traits.ts';
import { usable } from './usable.ts';

export interface FilterEntry {
  readonly name: string;
  readonly filter: Filter;
  /** The result depends on the hosts of other instances of the same request. */
  readonly looksAtGroup: boolean;
}

export interface FilterSettings {
  readonly isolation: Isolation;
}

const FILTERS = {
  AggregateInstanceExtraSpecsFilter: () => aggregateInstanceExtraSpecs,
  AllHostsFilter: () => allHosts,
  AvailabilityZoneFilter: () => availabilityZone,
  ComputeCapabilitiesFilter: () => computeCapabilities,
  ComputeFilter: () => compute,
  CoreFilter: () => core,
  DifferentHostFilter: () => differentHost,
  DiskFilter: () => disk,
  ImagePropertiesFilter: () => imageProperties,
  IsolatedHostsFilter: ({ isolation }: FilterSettings) => isolatedHosts(isolation),
  JsonFilter: () => json,
  RamFilter: () => ram,
  ResourcesFilter: () => resources,
  RetryFilter: () => retry,
  SameHostFilter: () => sameHost,
  ServerGroupAffinityFilter: () => serverGroupAffinity,
  ServerGroupAntiAffinityFilter: () => serverGroupAntiAffinity,
  TraitsFilter: () => traits,
} as const satisfies Record<string, (settings: FilterSettings) => Filter>;

export type FilterName = keyof typeof FILTERS;
export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

const LOOKING_AT_GROUP: readonly FilterName[] = [
  'ServerGroupAffinityFilter',
  'ServerGroupAntiAffinityFilter',
];

/** The filters with these names, in this order, after the inventory filter, which always runs first. */
export function filtersOf(names: readonly FilterName[], settings: FilterSettings): FilterEntry[] {
  const first = { name: 'Inventory', filter: usable, looksAtGroup: false };
  return [
    first,
    ...names.map((name) => ({
      name,
      filter: FILTERS[name](settings),
      looksAtGroup: LOOKING_AT_GROUP.includes(name),
    })),
  ];
}
