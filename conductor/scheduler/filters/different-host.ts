/**
 * DifferentHostFilter: the host is in another failure domain than all instances in the hint `different_host`.
 */
import type { Filter } from './filter.ts';

export const differentHost: Filter = {
  isAsked: ({ differentHost: unwanted }) => unwanted.length > 0,
  passes: (host, { differentHost: unwanted }) => !unwanted.some((uuid) => host.instances.has(uuid)),
  reason(host, { differentHost: unwanted }) {
    const neighbour = unwanted.find((uuid) => host.instances.has(uuid));
    return `instance ${neighbour} of different_host is in ${host.domain}`;
  },
};
