/**
 * What changes on a node when its provision state moves.
 */
import { IngotError } from '../domain/errors.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { nextState, type ProvisionEvent, type ProvisionState, targetOf } from '../domain/states.ts';
import { verbsFrom } from '../domain/verbs.ts';

/** The patch for `event`. Manual cleaning overrides the target. Throws invalidState when the table has no such move. */
export function move(node: Node, event: ProvisionEvent, now: Date, target?: ProvisionState): NodePatch {
  const to = nextState(node.provisionState, event);
  if (to === undefined) throw illegalMove(node, event);
  return {
    provisionState: to,
    // In the middle of an operation the target it began with stays.
    targetProvisionState: targetOf(to) === null ? null : (target ?? keptTarget(node, to)),
    provisionUpdatedAt: now,
  };
}

const CLEANING: readonly ProvisionState[] = ['cleaning', 'clean wait', 'clean hold', 'clean failed'];

function keptTarget(node: Node, to: ProvisionState): ProvisionState | null {
  const amidCleaning = CLEANING.includes(node.provisionState) && CLEANING.includes(to);
  return amidCleaning ? node.targetProvisionState : targetOf(to);
}

export function illegalMove(node: Node, action: string): IngotError {
  const legal = verbsFrom(node.provisionState);
  const may =
    legal.length > 0
      ? `Legal now: ${legal.join(', ')}.`
      : 'Nothing can be asked of it until the work in progress ends.';
  return new IngotError(
    'invalidState',
    `The requested action "${action}" can not be performed on node "${node.uuid}" while it is in state "${node.provisionState}". ${may}`,
  );
}
