/**
 * What the body of a request needs besides the policy of its route: fields of a node with a policy of their own,
 * and nodes and port groups that a record is to hang on. Pure.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { type PatchOperation, parsePatch, rootOf } from '../../../domain/json-patch.ts';
import type { PolicyName } from '../../../domain/policy.ts';

/** Field of a node -> who may change it. All others are `node:update`. */
const NODE_FIELD_POLICIES: ReadonlyMap<string, PolicyName> = new Map([
  ['extra', 'node:update_extra'],
  ['instance_info', 'node:update_instance_info'],
  ['instance_name', 'node:update_instance_info'],
  ['driver_info', 'node:update:driver_info'],
  ['properties', 'node:update:properties'],
  ['chassis_uuid', 'node:update:chassis_uuid'],
  ['instance_uuid', 'node:update:instance_uuid'],
  ['lessee', 'node:update:lessee'],
  ['owner', 'node:update:owner'],
  ['driver', 'node:update:driver_interfaces'],
  ['network_data', 'node:update:network_data'],
  ['conductor_group', 'node:update:conductor_group'],
  ['name', 'node:update:name'],
  ['retired', 'node:update:retired'],
  ['retired_reason', 'node:update:retired'],
  ['shard', 'node:update:shard'],
  ['parent_node', 'node:update:parent_node'],
  ['disable_power_off', 'node:update:disable_power_off'],
  // The same right as for the endpoint that does the same.
  ['maintenance', 'node:set_maintenance'],
]);

/** The policies of the fields that a patch of a node touches; none for what is no patch, which is refused later. */
export function nodePatchPolicies(body: unknown): ReadonlySet<PolicyName> {
  const patch = parsePatch(body);
  return new Set(patch.ok ? patch.value.map(policyOf) : []);
}

function policyOf(operation: PatchOperation): PolicyName {
  const field = rootOf(operation.path);
  if (field.endsWith('_interface')) return 'node:update:driver_interfaces';
  if (field === 'automated_clean' && operation.op !== 'remove') {
    return parseFlag(operation.value) === false ? 'node:disable_cleaning' : 'node:update';
  }
  return NODE_FIELD_POLICIES.get(field) ?? 'node:update';
}

/** Policies of records that hang on a node, which their body names. */
const NODE_IN_BODY: ReadonlySet<PolicyName> = new Set([
  'port:create',
  'port:update',
  'portgroup:create',
  'portgroup:update',
  'volume:create',
  'volume:update',
]);

export const takesNodeInBody = (policy: PolicyName): boolean => NODE_IN_BODY.has(policy);

export interface NamedInBody {
  readonly nodes: readonly string[];
  readonly portgroups: readonly string[];
}

/** Every node and port group that a new record, or a patch of one, names. */
export function namedInBody(body: unknown): NamedInBody {
  const patch = parsePatch(body);
  const given: readonly (readonly [string, unknown])[] = patch.ok
    ? patch.value.flatMap((one) => (one.op === 'remove' ? [] : [[rootOf(one.path), one.value] as const]))
    : Object.entries(isJsonObject(body) ? body : {});
  const valuesOf = (...fields: string[]): string[] =>
    given.flatMap(([field, value]) => (fields.includes(field) && value !== null ? [String(value)] : []));
  return { nodes: valuesOf('node_uuid', 'node_ident'), portgroups: valuesOf('portgroup_uuid') };
}
