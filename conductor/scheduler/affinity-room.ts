/**
 * The first instance of an affinity group decides the failure domain of the others, so it must be placed in a domain
 * with enough hosts for all of them.
 */
import type { Removal } from './filtering.ts';
import type { HostState } from './host-state.ts';
import type { RequestSpec } from './request-spec.ts';

/**
 * Keeps only the hosts of the domains with the most hosts; more hosts than the request needs do not count. Changes
 * nothing unless the policy is affinity and the group has no members.
 */
export function withRoomForAll(
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
): { readonly passed: readonly number[]; readonly removals: readonly Removal[] } {
  const isBinding = spec.group?.policy === 'affinity' && spec.group.members.size === 0;
  if (!isBinding || spec.instanceUuids.length === 1) return { passed: candidates, removals: [] };
  const room = new Map<string, number>();
  for (const index of candidates) {
    const { domain } = hosts[index]!;
    room.set(domain, (room.get(domain) ?? 0) + 1);
  }
  const most = [...room.values()].reduce((a, b) => Math.max(a, b), 0);
  const wanted = Math.min(most, spec.instanceUuids.length);
  const roomOf = (index: number) => room.get(hosts[index]!.domain)!;
  const removals = candidates
    .filter((index) => roomOf(index) < wanted)
    .map((index) => ({
      host: hosts[index]!,
      filter: 'ServerGroupAffinityFilter',
      reason: `${hosts[index]!.domain} has room for ${roomOf(index)} of the ${spec.instanceUuids.length} instances`,
    }));
  return { passed: candidates.filter((index) => roomOf(index) >= wanted), removals };
}
