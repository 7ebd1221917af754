/**
 * The node of a server: the one whose instance_uuid names it.
 */
import { IngotError } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import type { Store } from '../../domain/store/store.ts';

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

export async function findNodeUuid(store: Store, serverUuid: string): Promise<string | undefined> {
  const [node] = await store.nodes.listShown({ instanceUuid: serverUuid }, ONE, ['uuid']);
  return node?.uuid;
}

/** Throws notFound. */
export async function getNode(store: Store, serverUuid: string): Promise<Node> {
  const nodeUuid = await findNodeUuid(store, serverUuid);
  const node = nodeUuid === undefined ? undefined : await store.nodes.find(nodeUuid);
  if (node !== undefined) return node;
  throw new IngotError('notFound', `Instance ${serverUuid} has no node: instance_uuid was taken away.`);
}
