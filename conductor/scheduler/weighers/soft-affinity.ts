/**
 * ServerGroupSoftAffinityWeigher: prefers failure domains with more members of the group.
 */
import type { Weigher } from './weigher.ts';

export const softAffinity: Weigher = (host, { group }) =>
  group?.policy === 'soft-affinity' ? (group.members.get(host.domain) ?? 0) : 0;
