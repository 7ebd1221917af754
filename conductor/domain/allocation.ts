/**
 * Which nodes fit an allocation. Pure.
 */
import type { Node } from './node.ts';
import type { Allocation } from './resources.ts';

/** Why the node can not be allocated; undefined when it can. */
export function unfitFor(node: Node, allocation: Allocation): string | undefined {
  if (allocation.candidateNodes.length > 0 && !allocation.candidateNodes.includes(node.uuid)) {
    return 'not among the candidate nodes';
  }
  if (node.resourceClass !== allocation.resourceClass) return 'of another resource class';
  if (node.parentNode !== null) return 'a child of another node';
  if (node.instanceUuid !== null) return 'in use';
  if (node.provisionState !== 'available') return `in state ${node.provisionState}`;
  if (node.maintenance) return 'in maintenance';
  if (node.powerState === null) return 'of unknown power state';
  if (allocation.owner !== null && ![node.owner, node.lessee].includes(allocation.owner)) {
    return 'of another owner';
  }
  const lacking = allocation.traits.find((trait) => !node.traits.includes(trait));
  return lacking === undefined ? undefined : `without the trait ${lacking}`;
}

/**
 * In random order, so that simultaneous allocations do not all try the same node first. A node with the name of the
 * allocation comes first.
 */
export function inTurn(nodes: readonly Node[], allocation: Allocation, random: () => number): Node[] {
  const shuffled = nodes
    .map((node) => ({ node, turn: node.name !== null && node.name === allocation.name ? -1 : random() }))
    .toSorted((a, b) => a.turn - b.turn);
  return shuffled.map(({ node }) => node);
}

/** `Of 3 nodes of the resource class gold 2 are in use, 1 is in maintenance.` */
export function explainUnfit(nodes: readonly Node[], allocation: Allocation): string {
  const resourceClass = allocation.resourceClass ?? '(none)';
  if (nodes.length === 0) return `no nodes have the resource class ${resourceClass}.`;
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const reason = unfitFor(node, allocation) ?? 'locked';
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].map(([reason, count]) => `${count} ${count === 1 ? 'is' : 'are'} ${reason}`);
  return `no available nodes match. Of ${nodes.length} of the resource class ${resourceClass} ${reasons.join(', ')}.`;
}
