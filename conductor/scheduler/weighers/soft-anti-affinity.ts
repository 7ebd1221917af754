/**
 * ServerGroupSoftAntiAffinityWeigher: prefers failure domains with fewer members of the group.
 */
import type { Weigher } from './weigher.ts';

export const softAntiAffinity: Weigher = (host, { group }) =>
  group?.policy === 'soft-anti-affinity' ? -(group.members.get(host.domain) ?? 0) : 0;
