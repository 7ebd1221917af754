/**
 * SameHostFilter: the host is in the failure domain of one of the instances in the hint `same_host`.
 */
import type { Filter } from './filter.ts';

export const sameHost: Filter = {
  isAsked: ({ sameHost: wanted }) => wanted.length > 0,
  passes: (host, { sameHost: wanted }) => wanted.some((uuid) => host.instances.has(uuid)),
  reason: (host) => `none of the instances of same_host is in ${host.domain}`,
};
