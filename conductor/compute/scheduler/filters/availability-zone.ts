/**
 * AvailabilityZoneFilter: in the zone that was asked for, if one was.
 */
import type { Filter } from './filter.ts';

export const availabilityZone: Filter = (host, { availabilityZone: wanted }) =>
  wanted === undefined || wanted === host.availabilityZone
    ? undefined
    : `in availability zone ${host.availabilityZone}, asked for ${wanted}`;
