/**
 * Every field of a node on the wire: since which API 1.N it exists, what it holds, who may write it.
 * Presentation, `fields=`, sort keys, POST, PATCH and version gating all follow from this table.
 */
import type { FieldKind, FieldValue } from './field-values.ts';

export interface WireField {
  readonly wire: string;
  /** API microversion 1.N. */
  readonly since: number;
  readonly kind: FieldKind;
  /** May be given at POST. */
  readonly create?: boolean;
  /** May be the root of a PATCH path. */
  readonly patch?: boolean;
  /** May be a sort_key. */
  readonly sort?: boolean;
  readonly maxLength?: number;
  /** What it is when it is taken away, where that is not the kind's empty value. */
  readonly fallback?: FieldValue;
  /** May be given and is never shown. */
  readonly hidden?: true;
  /** Shown, and not to be asked for by `fields=`. */
  readonly unasked?: true;
  /** Older requests may neither give its empty value nor remove it. */
  readonly strict?: true;
}

type Row = readonly [
  wire: string,
  since: number,
  kind: FieldKind,
  access: string,
  more?: Pick<WireField, 'maxLength' | 'fallback' | 'hidden' | 'unasked' | 'strict'>,
];

/** Access: c create, p patch, s sort. */
export function fieldTable(rows: readonly Row[]): readonly WireField[] {
  return rows.map(([wire, since, kind, access, more]) => ({
    wire,
    since,
    kind,
    create: access.includes('c'),
    patch: access.includes('p'),
    sort: access.includes('s'),
    ...more,
  }));
}

export const NODE_FIELDS: readonly WireField[] = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['created_at', 1, 'time', 's', { unasked: true }],
  ['updated_at', 1, 'time', 's', { unasked: true }],
  ['name', 5, 'text', 'cps'],
  ['driver', 1, 'required', 'cps'],
  ['driver_info', 1, 'dict', 'cp'],
  ['driver_internal_info', 3, 'derived', ''],
  ['properties', 1, 'dict', 'cp'],
  ['extra', 1, 'dict', 'cp'],
  ['instance_info', 1, 'dict', 'cp'],
  ['instance_uuid', 1, 'uuid', 'cps'],
  ['chassis_uuid', 1, 'uuid', 'cp'],
  ['provision_state', 1, 'derived', 's'],
  ['target_provision_state', 1, 'text', 's'],
  ['provision_updated_at', 1, 'time', 's'],
  ['power_state', 1, 'text', 's'],
  ['target_power_state', 1, 'text', 's'],
  ['last_error', 1, 'text', 's'],
  ['maintenance', 1, 'flag', 'cps'],
  ['maintenance_reason', 1, 'text', 's'],
  ['fault', 42, 'text', 's'],
  ['reservation', 1, 'derived', 's'],
  ['console_enabled', 1, 'flag', 'cs'],
  ['inspection_started_at', 6, 'time', 's'],
  ['inspection_finished_at', 6, 'time', 's'],
  ['clean_step', 7, 'derived', ''],
  ['deploy_step', 44, 'derived', ''],
  ['service_step', 87, 'derived', ''],
  ['raid_config', 12, 'dict', ''],
  ['target_raid_config', 12, 'dict', ''],
  ['bios_interface', 40, 'interface', 'cp'],
  ['boot_interface', 31, 'interface', 'cp'],
  ['console_interface', 31, 'interface', 'cp'],
  ['deploy_interface', 31, 'interface', 'cp'],
  ['firmware_interface', 86, 'interface', 'cp'],
  ['inspect_interface', 31, 'interface', 'cp'],
  ['management_interface', 31, 'interface', 'cp'],
  ['network_interface', 20, 'interface', 'cp'],
  ['power_interface', 31, 'interface', 'cp'],
  ['raid_interface', 31, 'interface', 'cp'],
  ['rescue_interface', 38, 'interface', 'cp'],
  ['storage_interface', 33, 'interface', 'cp'],
  ['vendor_interface', 31, 'interface', 'cp'],
  ['resource_class', 21, 'text', 'cps', { maxLength: 80 }],
  ['traits', 37, 'list', ''],
  ['conductor_group', 46, 'word', 'cps'],
  ['automated_clean', 47, 'maybeFlag', 'cps'],
  ['protected', 48, 'flag', 'ps'],
  ['protected_reason', 48, 'text', 'ps', { maxLength: 4096 }],
  ['conductor', 49, 'derived', ''],
  ['owner', 50, 'text', 'cps'],
  ['description', 51, 'text', 'cps', { maxLength: 4096 }],
  ['allocation_uuid', 52, 'uuid', ''],
  ['retired', 61, 'flag', 'cps'],
  ['retired_reason', 61, 'text', 'cps', { maxLength: 4096 }],
  ['lessee', 65, 'text', 'cps'],
  ['network_data', 66, 'dict', 'cp'],
  ['boot_mode', 75, 'text', 's'],
  ['secure_boot', 75, 'maybeFlag', 's'],
  ['shard', 82, 'text', 'cps'],
  ['parent_node', 83, 'text', 'cps'],
  ['disable_power_off', 95, 'flag', 'cps'],
  ['instance_name', 104, 'text', 'cps'],
  ['health', 109, 'text', 's'],
]);

/** What `GET /v1/nodes` shows without `fields` or `detail`. */
export const NODE_LIST_FIELDS: readonly string[] = [
  'uuid',
  'name',
  'instance_uuid',
  'maintenance',
  'power_state',
  'provision_state',
];
