/**
 * The changes of a node when its provision state moves. Pure.
 */
import { IngotError } from '../domain/errors.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { OPERATION_KINDS, OPERATIONS } from '../domain/operations/table.ts';
import { kindOf, type ProvisionEvent, type ProvisionState, targetOf } from '../domain/states.ts';
import { nextState } from '../domain/transitions.ts';
import { verbsFrom } from '../domain/verbs.ts';

export type Moved = Required<
  Pick<NodePatch, 'provisionState' | 'targetProvisionState' | 'provisionUpdatedAt'>
>;

/** The patch for `event`; a verb may set its own target. Throws invalidState when the table has no such move. */
export function move(node: Node, event: ProvisionEvent, now: Date, target?: ProvisionState): Moved {
  const to = nextState(node.provisionState, event);
  if (to === undefined) throw illegalMove(node, event);
  return {
    provisionState: to,
    targetProvisionState: targetOf(to) === null ? null : (target ?? keptTarget(node, to)),
    provisionUpdatedAt: now,
  };
}

/** Back from the wait state to the busy state; undefined in other states. */
export function resumed(node: Node, now: Date): Moved | undefined {
  return kindOf(node.provisionState) === 'wait' ? move(node, 'resume', now) : undefined;
}

/** During an operation the target of its start stays. */
function keptTarget(node: Node, to: ProvisionState): ProvisionState | null {
  const stays = OPERATION_KINDS.some((kind) => isAmid(kind, node.provisionState) && isAmid(kind, to));
  return stays ? (node.targetProvisionState ?? targetOf(to)) : targetOf(to);
}

function isAmid(kind: (typeof OPERATION_KINDS)[number], state: ProvisionState): boolean {
  const { busy, wait, hold, failed } = OPERATIONS[kind].states;
  return [busy, wait, hold, failed].includes(state) && kindOf(state) !== 'stable';
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
