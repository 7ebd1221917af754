/**
 * Child nodes: a card with a BMC of its own has the machine that contains it as its parent. A child has no children.
 * API 1.83.
 */
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { NodeStore } from '../domain/store/nodes.ts';
import { listAll } from '../domain/store/page.ts';

export const childrenOf = (nodes: NodeStore, uuid: string): Promise<Node[]> =>
  listAll(nodes, { parentNode: uuid });

/** Throws invalidParameter when `parent` can not be the parent of the node. */
export async function checkParent(
  nodes: NodeStore,
  uuid: string,
  parent: string | null | undefined,
): Promise<void> {
  if (parent == null) return;
  const refuse = (why: string): IngotError =>
    new IngotError('invalidParameter', `parent_node of node ${uuid} can not be ${parent}: ${why}.`);
  if (parent === uuid) throw refuse('a node is not its own parent');
  const found = await nodes.find(parent);
  if (found === undefined) throw refuse('there is no such node');
  if (found.parentNode !== null) throw refuse(`that one is itself a child, of ${found.parentNode}`);
  const [child] = await childrenOf(nodes, uuid);
  if (child !== undefined) throw refuse(`node ${uuid} has children itself, such as ${child.uuid}`);
}
