/**
 * The node and its ports as commands pass them to the agent: what hardware managers read, and nothing of the BMC.
 */
import { commandedNode } from '../domain/agent-node.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node, Port } from '../domain/node.ts';

export function nodeView(node: Node, ports: readonly Port[]): { node: JsonObject; ports: JsonObject[] } {
  return {
    node: commandedNode(node),
    ports: ports.map((port) => ({
      uuid: port.uuid,
      address: port.address,
      pxe_enabled: port.pxeEnabled,
      physical_network: port.physicalNetwork,
      local_link_connection: port.localLinkConnection,
    })),
  };
}
