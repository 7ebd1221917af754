/**
 * What an agent learns of its node. Anybody who is taken for an agent learns the same, so each field is listed here
 * because an agent uses it. ironic-python-agent expects `properties`, `instance_info` and `driver_internal_info`, even if
 * they are empty.
 */
import type { JsonObject } from './json.ts';
import type { Node } from './node.ts';

/** How disks are erased: ironic-python-agent reads these keys of `driver_internal_info`. */
const ERASE_SETTINGS = [
  'agent_continue_if_ata_erase_failed',
  'agent_continue_if_secure_erase_failed',
  'agent_enable_ata_secure_erase',
  'agent_enable_nvme_secure_erase',
  'agent_erase_devices_iterations',
  'agent_erase_devices_zeroize',
  'agent_erase_skip_read_only',
  'disk_erasure_concurrency',
  'wipe_special_filesystems',
] as const;

/** Which disk an image is written to, and how it boots. Image URLs, passwords and config drives are not among them. */
const INSTANCE_SETTINGS = ['capabilities', 'deploy_boot_mode', 'root_device'] as const;

/** The answer to a lookup: the node's uuid, and which disks the agent may use and how. */
export function lookedUpNode({ uuid, properties, instanceInfo, driverInternalInfo }: Node): JsonObject {
  const hints = instanceInfo['root_device'] ?? properties['root_device'];
  return {
    uuid,
    properties: {
      ...(hints === undefined ? {} : { root_device: hints }),
      ...picked(properties, ['skip_block_devices']),
    },
    instance_info: {},
    driver_internal_info: picked(driverInternalInfo, ERASE_SETTINGS),
  };
}

/** The node in a command. Hardware managers may read all of it. */
export function commandedNode(node: Node): JsonObject {
  return {
    uuid: node.uuid,
    name: node.name,
    driver: node.driver,
    properties: node.properties,
    instance_info: picked(node.instanceInfo, INSTANCE_SETTINGS),
    extra: node.extra,
    provision_state: node.provisionState,
    target_provision_state: node.targetProvisionState,
    resource_class: node.resourceClass,
    driver_internal_info: picked(node.driverInternalInfo, ERASE_SETTINGS),
  };
}

function picked(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}
