/**
 * What a verb requires of a node before it is accepted, and what it stores. Pure, derived from the definitions of the
 * verbs.
 */
import type { ConfigDriveBuilder } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { parseInstanceInfo, withConfigDrive } from '../domain/instance-info.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations.ts';
import { type NodeCondition, VERBS, type Verb } from '../domain/verbs.ts';
import type { ProvisionRequest } from './engine.ts';
import { move } from './state-move.ts';

const REFUSALS: Readonly<Record<NodeCondition, (node: Node, verb: Verb) => IngotError>> = {
  maintenance: ({ uuid, maintenanceReason: reason }, verb) =>
    new IngotError(
      'invalidState',
      `The ${verb} operation can't be performed on node ${uuid} because it's in maintenance mode${reason ? ` (${reason})` : ''}. Leave maintenance first.`,
    ),
  retired: ({ uuid }) =>
    new IngotError(
      'invalidState',
      `Node ${uuid} is retired and can not be made available. Unset "retired" first.`,
    ),
  protected: ({ uuid }) =>
    new IngotError('forbidden', `Node ${uuid} is protected and can not be undeployed, rebuilt or deleted.`),
};

/** Throws invalidState or forbidden when the condition of the node does not allow the verb. */
export function refuseVerb(node: Node, verb: Verb): void {
  const { refusedIn = [] } = VERBS[verb];
  const condition = refusedIn.find((one) => node[one]);
  if (condition !== undefined) throw REFUSALS[condition](node, verb);
}

/**
 * A config drive in the request replaces the stored one. When the verb discards the stored one, that one is not
 * checked.
 */
export function instanceChanges(
  node: Node,
  { verb, configdrive }: ProvisionRequest,
  { validate }: Pick<ConfigDriveBuilder, 'validate'>,
): NodePatch {
  const { takes = [], dropsConfigDrive } = VERBS[verb];
  if (!takes.includes('configdrive')) return {};
  if (configdrive !== undefined && configdrive !== null) {
    validate(configdrive);
    return { instanceInfo: withConfigDrive(node.instanceInfo, configdrive) };
  }
  if (dropsConfigDrive) return { instanceInfo: withConfigDrive(node.instanceInfo, null) };
  const { configDrive: stored } = parseInstanceInfo(node.instanceInfo);
  if (stored !== null) validate(stored);
  return {};
}

/** What the operation stores of the request: the caller, and the password of a rescue. */
export function argumentsOf(node: Node, { verb, rescuePassword, by }: ProvisionRequest): JsonObject {
  const requestedBy = by === undefined ? {} : { requestedBy: { ...by } };
  if (!VERBS[verb].takes?.includes('rescue_password')) return requestedBy;
  if (rescuePassword === undefined || rescuePassword.trim() === '') {
    throw new IngotError(
      'missingParameter',
      `Rescue of node ${node.uuid} needs a non-blank rescue_password.`,
    );
  }
  return { rescuePassword, ...requestedBy };
}

/** The changes of the node when the operation of this verb begins. */
export function beginning(node: Node, verb: Verb, kind: OperationKind, now: Date): NodePatch {
  const { event, target } = VERBS[verb];
  return { ...move(node, event, now, target), ...OPERATIONS[kind].onStart?.(now), lastError: null };
}

/** The changes of the node by a verb that starts no operation, such as `manage` of a failed or available node. */
export function moving(node: Node, verb: Verb, now: Date): NodePatch {
  const moved = move(node, VERBS[verb].event, now);
  return moved.provisionState === 'manageable' ? { ...moved, lastError: null } : moved;
}
