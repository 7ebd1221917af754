/**
 * Settings of the scheduler as rows. They stand apart from the tables of filters and weighers, which a conductor that
 * schedules nothing does not load.
 */
import type { Setting, Settings } from '../domain/setting.ts';

/** The scheduler's filters, which are held equal to its own table by a test. */
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
    help: `How much it counts for a machine ${prefers}. Below 0 it counts against it; with 0 it is not looked at.`,
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
    help: 'Filters that a machine has to pass, in this order. Machines that cannot be had at all are out before.',
  },
  ramMultiplier: multiplier('ram', -1, 'to have much free memory'),
  diskMultiplier: multiplier('disk', -1, 'to have much free disk'),
  cpuMultiplier: multiplier('cpu', -1, 'to have many free CPUs'),
  softAffinityMultiplier: multiplier('soft_affinity', 1, 'to be near others of a soft-affinity group'),
  softAntiAffinityMultiplier: multiplier(
    'soft_anti_affinity',
    1,
    'to be apart from others of a soft-anti-affinity group',
  ),
  buildFailureMultiplier: multiplier('build_failure', 1_000_000, 'not to have failed a build lately'),
  imageCachedMultiplier: multiplier('image_cached', 1, 'that its conductor has the image ready'),
  leastRecentlyUsedMultiplier: multiplier(
    'least_recently_used',
    0.1,
    'to have been without a server for long',
  ),
  hostSubsetSize: {
    name: 'scheduler.host_subset_size',
    type: 'integer',
    default: 1,
    min: 1,
    max: 10_000,
    unit: 'machines',
    help: 'One of so many best machines is taken at random.',
  },
  shuffleBestSameWeighedHosts: {
    name: 'scheduler.shuffle_best_same_weighed_hosts',
    type: 'flag',
    default: false,
    help: 'Take any of the machines that share the best weight, and not the first of them.',
  },
  maxAttempts: {
    name: 'scheduler.max_attempts',
    type: 'integer',
    default: 3,
    min: 1,
    max: 100,
    unit: 'builds',
    help: 'Machines that a server is tried on before it ends in ERROR.',
  },
  isolatedHosts: {
    name: 'scheduler.isolated_hosts',
    type: 'list',
    default: [],
    help: 'Nodes (UUIDs or names) for isolated images, with IsolatedHostsFilter among the filters.',
  },
  isolatedImages: {
    name: 'scheduler.isolated_images',
    type: 'list',
    default: [],
    help: 'Ids of images that go to isolated hosts only, with IsolatedHostsFilter among the filters.',
  },
  restrictIsolatedHosts: {
    name: 'scheduler.restrict_isolated_hosts_to_isolated_images',
    type: 'flag',
    default: true,
    help: 'Isolated hosts take isolated images only.',
  },
} as const satisfies Settings;
