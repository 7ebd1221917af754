/**
 * Claims a node for a server by writing the server's UUID into instance_uuid.
 */
import { IngotError } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import type { Engine } from '../../engine/engine.ts';

/** False when the node has another server, was deleted, or is locked by other work. */
export async function claimNode(engine: Engine, serverUuid: string, nodeUuid: string): Promise<boolean> {
  try {
    await engine.updateNode(nodeUuid, 'claim', (node) => {
      if (node.instanceUuid === serverUuid) return {};
      refuseUnavailable(node);
      return { instanceUuid: serverUuid };
    });
    return true;
  } catch (error) {
    const isLost = error instanceof IngotError && ['conflict', 'notFound', 'nodeLocked'].includes(error.code);
    if (isLost) return false;
    throw error;
  }
}

/** Throws conflict with the reason, the same that the host state of the node gives. */
function refuseUnavailable(node: Node): void {
  const reason =
    node.instanceUuid !== null
      ? `is in use by instance ${node.instanceUuid}`
      : node.maintenance
        ? 'is in maintenance'
        : node.provisionState !== 'available'
          ? `is in state ${node.provisionState}`
          : undefined;
  if (reason !== undefined) throw new IngotError('conflict', `Node ${node.uuid} ${reason}.`);
}
