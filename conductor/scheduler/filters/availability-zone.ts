/**
 * AvailabilityZoneFilter: the host is in the requested zone, if the request names one.
 */
import type { Filter } from './filter.ts';

export const availabilityZone: Filter = {
  isAsked: ({ availabilityZone: wanted }) => wanted !== undefined,
  passes: (host, { availabilityZone: wanted }) => host.availabilityZone === wanted,
  reason: (host, { availabilityZone: wanted }) =>
    `in availability zone ${host.availabilityZone}, asked for ${wanted}`,
};
