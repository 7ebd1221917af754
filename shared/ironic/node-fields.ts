/**
 * Every field of a node: its API microversion, its kind, who may see it, filter by it and write it. The type of a
 * stored node, its columns, presentation, `fields=`, sort keys, filters, POST, PATCH and the OpenAPI document derive
 * from this table.
 */
import type { CamelCase } from './casing.ts';
import { type FieldRow, type FieldsWith, fieldTable, type WireField } from './wire-field.ts';

export const NODE_ROWS = [
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's', { unasked: true }],
  ['updated_at', 1, 'time', 's', { unasked: true }],
  ['name', 5, 'text', 'cps', { changedBy: 'node:update:name' }],
  ['driver', 1, 'required', 'cpsf', { filterSince: 16, changedBy: 'node:update:driver_interfaces' }],
  ['driver_info', 1, 'dict', 'cp', { seenBy: 'node:get:driver_info', changedBy: 'node:update:driver_info' }],
  ['driver_internal_info', 3, 'derived', '', { seenBy: 'node:get:driver_internal_info' }],
  ['properties', 1, 'dict', 'cp', { changedBy: 'node:update:properties' }],
  ['extra', 1, 'dict', 'cp', { changedBy: 'node:update_extra' }],
  ['instance_info', 1, 'dict', 'cp', { changedBy: 'node:update_instance_info' }],
  ['instance_uuid', 1, 'uuid', 'cpsf', { changedBy: 'node:update:instance_uuid' }],
  ['chassis_uuid', 1, 'uuid', 'cpf', { changedBy: 'node:update:chassis_uuid' }],
  ['provision_state', 1, 'derived', 'sf', { filterSince: 9 }],
  ['target_provision_state', 1, 'text', 's'],
  ['provision_updated_at', 1, 'time', 's'],
  ['power_state', 1, 'text', 's'],
  ['target_power_state', 1, 'text', 's'],
  ['last_error', 1, 'text', 's', { seenBy: 'node:get:last_error' }],
  // Needs the same right as PUT maintenance.
  ['maintenance', 1, 'flag', 'cpsf', { changedBy: 'node:set_maintenance' }],
  ['maintenance_reason', 1, 'text', 's'],
  ['fault', 42, 'text', 'sf'],
  ['reservation', 1, 'derived', 's', { seenBy: 'node:get:reservation' }],
  ['console_enabled', 1, 'flag', 'cs'],
  ['inspection_started_at', 6, 'time', 's'],
  ['inspection_finished_at', 6, 'time', 's'],
  ['clean_step', 7, 'derived', ''],
  ['deploy_step', 44, 'derived', ''],
  ['service_step', 87, 'derived', ''],
  ['raid_config', 12, 'dict', ''],
  ['target_raid_config', 12, 'dict', ''],
  ['bios_interface', 40, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['boot_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['console_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['deploy_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['firmware_interface', 86, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['inspect_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['management_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['network_interface', 20, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['power_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['raid_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['rescue_interface', 38, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['storage_interface', 33, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['vendor_interface', 31, 'interface', 'cp', { changedBy: 'node:update:driver_interfaces' }],
  ['resource_class', 21, 'text', 'cpsf', { maxLength: 80 }],
  ['traits', 37, 'list', ''],
  ['conductor_group', 46, 'word', 'cpsf', { changedBy: 'node:update:conductor_group' }],
  ['automated_clean', 47, 'maybeFlag', 'cps'],
  ['protected', 48, 'flag', 'ps'],
  ['protected_reason', 48, 'text', 'ps', { maxLength: 4096 }],
  ['conductor', 49, 'derived', ''],
  ['owner', 50, 'text', 'cpsf', { changedBy: 'node:update:owner' }],
  ['description', 51, 'text', 'cps', { maxLength: 4096 }],
  ['allocation_uuid', 52, 'uuid', ''],
  ['retired', 61, 'flag', 'cpsf', { changedBy: 'node:update:retired' }],
  ['retired_reason', 61, 'text', 'cps', { maxLength: 4096, changedBy: 'node:update:retired' }],
  ['lessee', 65, 'text', 'cpsf', { changedBy: 'node:update:lessee' }],
  ['network_data', 66, 'dict', 'cp', { changedBy: 'node:update:network_data' }],
  ['boot_mode', 75, 'text', 's'],
  ['secure_boot', 75, 'maybeFlag', 's'],
  ['shard', 82, 'text', 'cps', { changedBy: 'node:update:shard' }],
  // UUID of the machine that contains this one: for a card with a BMC of its own.
  ['parent_node', 83, 'text', 'cpsf', { changedBy: 'node:update:parent_node' }],
  // The node is never powered off, only reset.
  ['disable_power_off', 95, 'flag', 'cps', { changedBy: 'node:update:disable_power_off' }],
  // For display. Default: `display_name` of instance_info.
  ['instance_name', 104, 'text', 'cpsf', { changedBy: 'node:update_instance_info' }],
  // `OK`, `WARNING`, `CRITICAL`, as the BMC reports it; null when the BMC does not report it.
  ['health', 109, 'text', 's'],
] as const satisfies readonly FieldRow[];

export const NODE_FIELDS: readonly WireField[] = fieldTable(NODE_ROWS);

export type NodeRow = (typeof NODE_ROWS)[number];
/** Fields by which a list of nodes may be filtered, with the names of stored nodes. */
export type NodeFilterField = CamelCase<FieldsWith<NodeRow, 'f'>>;

/** What `GET /v1/nodes` shows without `fields` or `detail`. */
export const NODE_LIST_FIELDS: readonly string[] = [
  'uuid',
  'name',
  'instance_uuid',
  'maintenance',
  'power_state',
  'provision_state',
];
