/**
 * ServerGroupAffinityFilter: if the group has members, the host is in their failure domain.
 */
import type { Filter } from './filter.ts';

export const serverGroupAffinity: Filter = {
  isAsked: ({ group }) => group?.policy === 'affinity' && group.members.size > 0,
  passes: (host, { group }) => group!.members.has(host.domain),
  reason: (host, { group }) =>
    `in ${host.domain}, the server group is in ${[...group!.members.keys()].join(', ')}`,
};
