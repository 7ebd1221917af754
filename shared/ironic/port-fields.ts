/**
 * Every field of a port on the wire; a table like that of nodes.
 */
import { fieldTable, type WireField } from './wire-field.ts';

export const PORT_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's'],
  ['updated_at', 1, 'time', 's'],
  ['address', 1, 'required', 'cps'],
  ['node_uuid', 1, 'uuid', 'cp'],
  ['extra', 1, 'dict', 'cp'],
  ['internal_info', 18, 'dict', ''],
  ['pxe_enabled', 19, 'flag', 'cps', { fallback: true, strict: true }],
  ['local_link_connection', 19, 'dict', 'cp', { strict: true }],
  ['portgroup_uuid', 24, 'uuid', 'cp', { strict: true }],
  ['physical_network', 34, 'text', 'cps', { maxLength: 64, strict: true }],
  ['is_smartnic', 53, 'flag', 'cps', { strict: true }],
  ['name', 88, 'text', 'cps'],
  ['description', 97, 'text', 'cps'],
  ['vendor', 100, 'text', 'cps', { maxLength: 32 }],
  ['category', 101, 'text', 'cps', { maxLength: 80 }],
  ['available_for_dynamic_portgroup', 111, 'flag', 'cps', { fallback: true }],
  ['node_ident', 94, 'text', 'c', { hidden: true }],
]);

/** What `GET /v1/ports` shows without `fields` or `detail`. */
export const PORT_LIST_FIELDS: readonly string[] = ['uuid', 'address'];
