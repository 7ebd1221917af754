/**
 * Settings of the scheduler: the filters and their order, the multipliers, and how one of the best hosts is picked.
 */

import { type FilterEntry, type FilterName, type FilterSettings, filtersOf } from './filters/table.ts';
import { SCHEDULER_SETTINGS } from './setting-rows.ts';
import { type WeigherEntry, type WeigherName, weighersOf } from './weighers/table.ts';

export interface SchedulerSettings extends FilterSettings {
  readonly enabledFilters: readonly FilterName[];
  readonly multipliers: Readonly<Partial<Record<WeigherName, number>>>;
  /** Number of best hosts from which one is picked at random. */
  readonly hostSubsetSize: number;
  /** Picks one of the hosts with the best weight at random instead of the first one. */
  readonly shuffleBestSameWeighedHosts: boolean;
  /** Largest number of builds per server, so the number of alternates is one less. */
  readonly maxAttempts: number;
}

export const DEFAULT_SETTINGS: SchedulerSettings = {
  enabledFilters: SCHEDULER_SETTINGS.enabledFilters.default,
  isolation: { hosts: [], images: [], isRestricted: true },
  multipliers: {},
  hostSubsetSize: 1,
  shuffleBestSameWeighedHosts: false,
  maxAttempts: 3,
};

/** Settings with their filters and weighers looked up. */
export interface Plan {
  readonly filters: readonly FilterEntry[];
  readonly weighers: readonly WeigherEntry[];
  readonly hostSubsetSize: number;
  readonly shuffleBestSameWeighedHosts: boolean;
  readonly maxAttempts: number;
}

export function planOf(settings: SchedulerSettings): Plan {
  const { hostSubsetSize, shuffleBestSameWeighedHosts, maxAttempts } = settings;
  const filters = filtersOf(settings.enabledFilters, settings);
  const weighers = weighersOf(settings.multipliers);
  return { filters, weighers, hostSubsetSize, shuffleBestSameWeighedHosts, maxAttempts };
}
