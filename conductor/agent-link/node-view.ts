/**
 * The node and its ports as commands pass them to the agent: what hardware managers read, and nothing of the BMC.
 */
import { withConfigDrive } from '../domain/instance-info.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node, Port } from '../domain/node.ts';
import { maskSecrets } from '../domain/secrets.ts';

export function nodeView(node: Node, ports: readonly Port[]): { node: JsonObject; ports: JsonObject[] } {
  return {
    node: {
      uuid: node.uuid,
      name: node.name,
      driver: node.driver,
      properties: node.properties,
      instance_info: maskSecrets(withConfigDrive(node.instanceInfo, null)),
      extra: node.extra,
      provision_state: node.provisionState,
      target_provision_state: node.targetProvisionState,
      resource_class: node.resourceClass,
      driver_internal_info: {},
    },
    ports: ports.map((port) => ({
      uuid: port.uuid,
      address: port.address,
      pxe_enabled: port.pxeEnabled,
      physical_network: port.physicalNetwork,
      local_link_connection: port.localLinkConnection,
    })),
  };
}
