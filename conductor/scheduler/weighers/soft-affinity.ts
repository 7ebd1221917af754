/**
 * ServerGroupSoftAffinityWeigher: where more members of the group are.
 */
import type { Weigher } from './weigher.ts';

export const softAffinity: Weigher = (host, { group }) =>
  group?.policy === 'soft-affinity' ? (group.members.get(host.domain) ?? 0) : 0;
