/**
 * Decides from the store what a machine boots. There are no configuration files that could become stale.
 */
import type { BootClient, BootDecision, BootDirectory } from '../domain/boot.ts';
import type { Node } from '../domain/node.ts';
import type { Store } from '../domain/store/store.ts';

export function createBootDirectory(store: Pick<Store, 'nodes' | 'ports'>): BootDirectory {
  return {
    async decide(client) {
      const node = await nodeOf(store, client);
      return node === undefined ? { kind: 'unknown' } : decisionFor(node);
    },
  };
}

/** The node of a machine has a port that may boot from the network. */
async function nodeOf(store: Pick<Store, 'nodes' | 'ports'>, client: BootClient): Promise<Node | undefined> {
  const [port] = await store.ports.list({ address: client.mac }, { limit: 1, sortKey: 'id', sortDir: 'asc' });
  return port?.pxeEnabled ? store.nodes.find(port.nodeUuid) : undefined;
}

/** A node with an instance boots its disk whatever its boot order is. */
export function decisionFor(node: Node): BootDecision {
  const nodeUuid = node.uuid;
  if (node.bootTarget?.kind === 'ramdisk') {
    return { kind: 'ramdisk', nodeUuid, kernelParams: node.bootTarget.kernelParams };
  }
  if (node.bootTarget?.kind === 'disk' || node.provisionState === 'active') return { kind: 'disk', nodeUuid };
  return { kind: 'nothing', nodeUuid };
}
