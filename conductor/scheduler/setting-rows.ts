/**
 * Settings of the scheduler as rows. They are separate from the tables of filters and weighers, because a conductor
 * without the compute façade does not load those tables.
 */
import type { Setting, Settings } from '../domain/setting.ts';

/** The names of the scheduler's filters; a test compares them with filters/table.ts. */
const FILTERS = [
  'AggregateInstanceExtraSpecsFilter',
  'AllHostsFilter',
  'AvailabilityZoneFilter',
  'ComputeCapabilitiesFilter',
  'ComputeFilter',
  'CoreFilter',
  'DifferentHostFilter',
  'DiskFilter',
  'ImagePropertiesFilter',
  'IsolatedHostsFilter',
  'JsonFilter',
  'RamFilter',
  'ResourcesFilter',
  'RetryFilter',
  'SameHostFilter',
  'ServerGroupAffinityFilter',
  'ServerGroupAntiAffinityFilter',
  'TraitsFilter',
] as const;

/** Nova's `[filter_scheduler] *_weight_multiplier`. */
const multiplier = <D extends number>(name: string, value: D, prefers: string) =>
  ({
    name: `scheduler.${name}_weight_multiplier`,
    type: 'number',
    default: value,
    min: -1e9,
    max: 1e9,
    help: `Multiplier of the weigher that prefers machines ${prefers}. A negative value prefers the opposite; 0 disables the weigher.`,
  }) as const satisfies Setting;

export const SCHEDULER_SETTINGS = {
  enabledFilters: {
    name: 'scheduler.enabled_filters',
    type: 'list',
    choices: FILTERS,
    default: [
      'RetryFilter',
      'AvailabilityZoneFilter',
      'ComputeFilter',
      'ResourcesFilter',
      'TraitsFilter',
      'RamFilter',
      'DiskFilter',
      'CoreFilter',
      'ComputeCapabilitiesFilter',
      'ImagePropertiesFilter',
      'SameHostFilter',
      'DifferentHostFilter',
      'ServerGroupAntiAffinityFilter',
      'ServerGroupAffinityFilter',
    ],
    help: 'Filters that a machine must pass, in this order. Machines that are not available are removed before.',
  },
  ramMultiplier: multiplier('ram', -1, 'with much free memory'),
  diskMultiplier: multiplier('disk', -1, 'with much free disk'),
  cpuMultiplier: multiplier('cpu', -1, 'with many free CPUs'),
  softAffinityMultiplier: multiplier('soft_affinity', 1, 'near other servers of a soft-affinity group'),
  softAntiAffinityMultiplier: multiplier(
    'soft_anti_affinity',
    1,
    'away from other servers of a soft-anti-affinity group',
  ),
  buildFailureMultiplier: multiplier('build_failure', 1_000_000, 'without recent failed builds'),
  imageCachedMultiplier: multiplier('image_cached', 1, 'whose conductor has the image in its cache'),
  leastRecentlyUsedMultiplier: multiplier(
    'least_recently_used',
    0.1,
    'that have had no server for a long time',
  ),
  hostSubsetSize: {
    name: 'scheduler.host_subset_size',
    type: 'integer',
    default: 1,
    min: 1,
    max: 10_000,
    unit: 'machines',
    help: 'The machine is chosen at random from this many best ones.',
  },
  shuffleBestSameWeighedHosts: {
    name: 'scheduler.shuffle_best_same_weighed_hosts',
    type: 'flag',
    default: false,
    help: 'Choose at random among the machines with the same best weight instead of taking the first.',
  },
  maxAttempts: {
    name: 'scheduler.max_attempts',
    type: 'integer',
    default: 3,
    min: 1,
    max: 100,
    unit: 'builds',
    help: 'Number of machines on which a server is tried before it ends in ERROR.',
  },
  isolatedHosts: {
    name: 'scheduler.isolated_hosts',
    type: 'list',
    default: [],
    help: 'Nodes (UUIDs or names) for isolated images; needs IsolatedHostsFilter in the filters.',
  },
  isolatedImages: {
    name: 'scheduler.isolated_images',
    type: 'list',
    default: [],
    help: 'Ids of images that are deployed only on isolated hosts; needs IsolatedHostsFilter in the filters.',
  },
  restrictIsolatedHosts: {
    name: 'scheduler.restrict_isolated_hosts_to_isolated_images',
    type: 'flag',
    default: true,
    help: 'Isolated hosts accept only isolated images.',
  },
} as const satisfies Settings;
