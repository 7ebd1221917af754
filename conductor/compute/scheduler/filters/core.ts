/**
 * CoreFilter: processors for the flavor, by `properties/cpus`.
 */
import type { Filter } from './filter.ts';

export const core: Filter = (host, { vcpus }) =>
  host.vcpus >= vcpus ? undefined : `${host.vcpus} processors, asked for ${vcpus}`;
