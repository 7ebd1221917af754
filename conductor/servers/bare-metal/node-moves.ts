/**
 * Brings a node into the state that a server's verb needs. Each step reads the node's current state first. The states on the
 * way there, at the end and after a failure are those of the operation.
 */
import { IngotError } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import { OPERATIONS, type OperationKind } from '../../domain/operations.ts';
import { stateAfter, type Verb } from '../../domain/verbs.ts';
import type { Engine, ProvisionRequest } from '../../engine/engine.ts';
import { type NodeWaitDeps, nodeThat } from './node-wait.ts';

interface Move {
  readonly operation: OperationKind;
  /** The verb runs even if the node is already in the target state. */
  readonly repeats?: true;
}

export const MOVES = {
  active: { operation: 'deploy' },
  rebuild: { operation: 'deploy', repeats: true },
  rescue: { operation: 'rescue' },
  unrescue: { operation: 'unrescue' },
} as const satisfies Partial<Record<Verb, Move>>;

const HOUR_MS = 3_600_000;
/** Time beyond the engine's own limits, in case it does not end the operation. */
const GRACE_MS = 60_000;

export interface MoveRequest {
  readonly serverUuid: string;
  readonly nodeUuid: string;
  readonly verb: keyof typeof MOVES;
  /** Called with the current node right before the verb is requested. */
  readonly prepare?: (node: Node) => Promise<Omit<ProvisionRequest, 'verb'>>;
  readonly signal: AbortSignal;
}

/** Resolves when the node is in the target state. Throws with the node's last_error when it fails. */
export async function moveNode(
  deps: NodeWaitDeps & { readonly engine: Pick<Engine, 'provision' | 'watchNode'> },
  { serverUuid, nodeUuid, verb, prepare, signal }: MoveRequest,
): Promise<void> {
  const move: Move = MOVES[verb];
  const { states, maxHours } = OPERATIONS[move.operation];
  let isUnderWay = false;
  const limitMs = maxHours * HOUR_MS + GRACE_MS;
  const what = `node ${nodeUuid} to be ${states.done}`;

  await nodeThat(
    deps,
    nodeUuid,
    async (node): Promise<true | undefined> => {
      if (node?.instanceUuid !== serverUuid) {
        throw new IngotError('aborted', `Node ${nodeUuid} was taken away from instance ${serverUuid}.`);
      }
      const state = node.provisionState;
      if ([states.busy, states.wait, states.hold].includes(state)) {
        isUnderWay = true;
        return undefined;
      }
      if (state === states.done && (isUnderWay || move.repeats !== true)) return true;
      if (state === states.failed && (isUnderWay || verb === 'active')) {
        throw new IngotError('aborted', `Node ${nodeUuid}: ${node.lastError ?? `it is ${state}`}`);
      }
      if (isUnderWay || stateAfter(state, verb) === undefined) {
        throw new IngotError('aborted', `Node ${nodeUuid} is ${state} and can not become ${states.done}.`);
      }
      const request = await prepare?.(node);
      if (await isAccepted(() => deps.engine.provision(nodeUuid, { verb, ...request }))) isUnderWay = true;
      return undefined;
    },
    { signal, limitMs, what },
  );
}

/** False while another task has locked the node. */
export async function isAccepted(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof IngotError && error.family === 'busy') return false;
    throw error;
  }
}
