/**
 * ServerGroupSoftAntiAffinityWeigher: where fewer members of the group are.
 */
import type { Weigher } from './weigher.ts';

export const softAntiAffinity: Weigher = (host, { group }) =>
  group?.policy === 'soft-anti-affinity' ? -(group.members.get(host.domain) ?? 0) : 0;
