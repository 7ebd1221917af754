/**
 * DifferentHostFilter: not in the failure domain of any instance of the hint `different_host`.
 */
import type { Filter } from './filter.ts';

export const differentHost: Filter = (host, { differentHost: unwanted }) => {
  const neighbour = unwanted.find((uuid) => host.instances.has(uuid));
  return neighbour === undefined ? undefined : `instance ${neighbour} of different_host is in ${host.domain}`;
};
