/**
 * ServerGroupAntiAffinityFilter: a failure domain has at most `max_server_per_host` members of the group.
 */
import type { Filter } from './filter.ts';

export const serverGroupAntiAffinity: Filter = {
  isAsked: ({ group }) => group?.policy === 'anti-affinity',
  passes: (host, { group }) => (group?.members.get(host.domain) ?? 0) < group!.maxServerPerHost,
  reason: (host, { group }) =>
    `${host.domain} holds ${group?.members.get(host.domain)} of the server group, allowed are ${group?.maxServerPerHost}`,
};
