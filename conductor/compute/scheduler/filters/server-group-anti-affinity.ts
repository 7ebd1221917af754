/**
 * ServerGroupAntiAffinityFilter: no more members of the group in one failure domain than `max_server_per_host`.
 */
import type { Filter } from './filter.ts';

export const serverGroupAntiAffinity: Filter = (host, { group }) => {
  if (group?.policy !== 'anti-affinity') return undefined;
  const members = group.members.get(host.domain) ?? 0;
  if (members < group.maxServerPerHost) return undefined;
  return `${host.domain} holds ${members} of the server group, allowed are ${group.maxServerPerHost}`;
};
