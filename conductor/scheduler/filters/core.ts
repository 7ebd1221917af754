/**
 * CoreFilter: enough processors for the flavor, by `properties/cpus`.
 */
import type { Filter } from './filter.ts';

export const core: Filter = {
  passes: (host, { vcpus }) => host.vcpus >= vcpus,
  reason: (host, { vcpus }) => `${host.vcpus} processors, asked for ${vcpus}`,
};
