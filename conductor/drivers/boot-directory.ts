/**
 * Answers netboot's question "what should this machine boot?" from the store, and nothing else:
 * boot configuration is never a file that can be left over.
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

/** A machine is known by a port that may boot from the network. */
async function nodeOf(store: Pick<Store, 'nodes' | 'ports'>, client: BootClient): Promise<Node | undefined> {
  const [port] = await store.ports.list({ address: client.mac }, { limit: 1, sortKey: 'id', sortDir: 'asc' });
  return port?.pxeEnabled ? store.nodes.find(port.nodeUuid) : undefined;
}

/** A node with an instance goes to its disk whatever its boot order says. */
export function decisionFor(node: Node): BootDecision {
  const nodeUuid = node.uuid;
  if (node.bootTarget?.kind === 'ramdisk') {
    return { kind: 'ramdisk', nodeUuid, kernelParams: node.bootTarget.kernelParams };
  }
  if (node.bootTarget?.kind === 'disk' || node.provisionState === 'active') return { kind: 'disk', nodeUuid };
  return { kind: 'nothing', nodeUuid };
}
