/**
 * Finds what else must be checked because of the body of a request: fields of a node with a policy of their own, and
 * the nodes and port groups that a record refers to. Pure.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { type PatchOperation, parsePatch, rootOf } from '../../../domain/json-patch.ts';
import type { PolicyName } from '../../../domain/policy.ts';

/** Field of a node -> the policy for changing it. All other fields have the policy `node:update`. */
const NODE_FIELD_POLICIES: ReadonlyMap<string, PolicyName> = new Map(
  NODE_FIELDS.flatMap(({ wire, changedBy }) =>
    changedBy === undefined ? [] : [[wire, changedBy as PolicyName]],
  ),
);

/** The policies of the fields that a patch of a node changes; empty if the body is no patch, which is refused later. */
export function nodePatchPolicies(body: unknown): ReadonlySet<PolicyName> {
  const patch = parsePatch(body);
  return new Set(patch.ok ? patch.value.map(policyOf) : []);
}

function policyOf(operation: PatchOperation): PolicyName {
  const field = rootOf(operation.path);
  if (field === 'automated_clean' && operation.op !== 'remove') {
    return parseFlag(operation.value) === false ? 'node:disable_cleaning' : 'node:update';
  }
  return NODE_FIELD_POLICIES.get(field) ?? 'node:update';
}

/** Policies of requests whose body names the node that the record belongs to. */
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

/** The nodes and port groups that the body of a POST or PATCH names. */
export function namedInBody(body: unknown): NamedInBody {
  const patch = parsePatch(body);
  const given: readonly (readonly [string, unknown])[] = patch.ok
    ? patch.value.flatMap((one) => (one.op === 'remove' ? [] : [[rootOf(one.path), one.value] as const]))
    : Object.entries(isJsonObject(body) ? body : {});
  const valuesOf = (...fields: string[]): string[] =>
    given.flatMap(([field, value]) => (fields.includes(field) && value !== null ? [String(value)] : []));
  return { nodes: valuesOf('node_uuid', 'node_ident'), portgroups: valuesOf('portgroup_uuid') };
}
