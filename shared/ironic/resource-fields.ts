/**
 * Every field of the other resources on the wire; tables like that of nodes.
 */
import { fieldTable, type WireField } from './wire-field.ts';

export const CHASSIS_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['description', 1, 'text', 'cps', { maxLength: 255 }],
  ['extra', 1, 'dict', 'cp'],
]);
export const CHASSIS_LIST_FIELDS: readonly string[] = ['uuid', 'description'];

export const PORTGROUP_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['node_uuid', 1, 'uuid', 'cp'],
  ['address', 1, 'text', 'cps'],
  ['name', 1, 'text', 'cps'],
  ['extra', 1, 'dict', 'cp'],
  ['internal_info', 1, 'dict', ''],
  ['standalone_ports_supported', 1, 'flag', 'cps', { fallback: true }],
  ['mode', 26, 'required', 'cps', { strict: true }],
  ['properties', 26, 'dict', 'cp', { strict: true }],
  ['physical_network', 102, 'text', 'cps', { maxLength: 64 }],
  ['category', 103, 'text', 'cps', { maxLength: 80 }],
  ['dynamic_portgroup', 111, 'flag', 's'],
]);
export const PORTGROUP_LIST_FIELDS: readonly string[] = ['uuid', 'address', 'name'];

export const DEPLOY_TEMPLATE_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['name', 1, 'required', 'cps'],
  ['steps', 1, 'objects', 'cp'],
  ['extra', 1, 'dict', 'cp'],
]);
export const DEPLOY_TEMPLATE_LIST_FIELDS: readonly string[] = ['uuid', 'name'];

export const RUNBOOK_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['name', 1, 'required', 'cps'],
  ['description', 112, 'text', 'cps'],
  ['traits', 112, 'strings', ''],
  ['steps', 1, 'objects', 'cp'],
  ['disable_ramdisk', 1, 'flag', 'cps'],
  ['public', 1, 'flag', 'cps'],
  ['owner', 1, 'text', 'cps'],
  ['extra', 1, 'dict', 'cp'],
]);
export const RUNBOOK_LIST_FIELDS: readonly string[] = ['uuid', 'name'];

export const INSPECTION_RULE_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['description', 1, 'text', 'cps'],
  ['priority', 1, 'integer', 'cps', { fallback: 0 }],
  ['phase', 1, 'text', 'cps', { fallback: 'main' }],
  ['sensitive', 1, 'flag', 'cps'],
  ['conditions', 1, 'objects', 'cp'],
  ['actions', 1, 'objects', 'cp'],
]);
export const INSPECTION_RULE_LIST_FIELDS: readonly string[] = ['uuid', 'priority', 'phase', 'description'];

export const ALLOCATION_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['name', 1, 'text', 'cps'],
  ['node_uuid', 1, 'uuid', ''],
  ['state', 1, 'text', 's'],
  ['last_error', 1, 'text', 's'],
  ['resource_class', 1, 'text', 'cs', { maxLength: 80 }],
  ['traits', 1, 'strings', 'c'],
  ['candidate_nodes', 1, 'strings', 'c'],
  ['extra', 1, 'dict', 'cp'],
  ['owner', 60, 'text', 'cs'],
  ['node', 58, 'text', 'c', { hidden: true }],
]);

export const VOLUME_CONNECTOR_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['node_uuid', 1, 'uuid', 'cp'],
  ['type', 1, 'required', 'cps'],
  ['connector_id', 1, 'required', 'cps'],
  ['extra', 1, 'dict', 'cp'],
]);
export const VOLUME_CONNECTOR_LIST_FIELDS: readonly string[] = ['uuid', 'node_uuid', 'type', 'connector_id'];

export const VOLUME_TARGET_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['node_uuid', 1, 'uuid', 'cp'],
  ['volume_type', 1, 'required', 'cps'],
  ['volume_id', 1, 'required', 'cps'],
  ['boot_index', 1, 'integer', 'cps'],
  ['properties', 1, 'dict', 'cp', { seenBy: 'volume:view_target_properties' }],
  ['extra', 1, 'dict', 'cp'],
]);
export const VOLUME_TARGET_LIST_FIELDS: readonly string[] = [
  'uuid',
  'node_uuid',
  'volume_type',
  'boot_index',
  'volume_id',
];
