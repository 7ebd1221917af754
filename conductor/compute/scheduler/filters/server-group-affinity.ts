/**
 * ServerGroupAffinityFilter: in the failure domain where the group has members, once it has any.
 */
import type { Filter } from './filter.ts';

export const serverGroupAffinity: Filter = (host, { group }) => {
  if (group?.policy !== 'affinity' || group.members.size === 0 || group.members.has(host.domain))
    return undefined;
  return `in ${host.domain}, the server group is in ${[...group.members.keys()].join(', ')}`;
};
