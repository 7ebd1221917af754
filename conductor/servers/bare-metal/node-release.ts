/**
 * Removes an instance from its node. The node goes through the verb `deleted` when something was or may have been
 * written to it; nothing waits for its cleaning.
 */
import { IngotError } from '../../domain/errors.ts';
import { OPERATIONS } from '../../domain/operations.ts';
import { kindOf, type ProvisionState } from '../../domain/states.ts';
import { stateAfter } from '../../domain/verbs.ts';
import type { Engine } from '../../engine/engine.ts';
import { isAccepted } from './node-moves.ts';
import { type NodeWaitDeps, nodeThat } from './node-wait.ts';

export interface NodeReleaseDeps extends NodeWaitDeps {
  readonly engine: Pick<Engine, 'provision' | 'watchNode' | 'updateNode'>;
}

/** States of a node without an instance on its disk: only the record of the instance must be removed. */
const FREE: readonly ProvisionState[] = [
  'enroll',
  'manageable',
  'available',
  'inspect failed',
  'cleaning',
  'clean wait',
  'clean hold',
  'clean failed',
  'adopt failed',
];

const HOUR_MS = 3_600_000;
/** Time for any running operation and then for tearing down. */
const LIMIT_MS = (OPERATIONS.deploy.maxHours + OPERATIONS.delete.maxHours) * HOUR_MS;

/** Throws with the node's last_error when tearing down fails. */
export async function destroyOn(
  deps: NodeReleaseDeps,
  serverUuid: string,
  nodeUuid: string,
  signal: AbortSignal,
): Promise<void> {
  const { engine } = deps;
  let isAsked = false;
  const what = `node ${nodeUuid} to let go of instance ${serverUuid}`;

  await nodeThat(
    deps,
    nodeUuid,
    async (node): Promise<true | undefined> => {
      if (node === undefined || node.instanceUuid !== serverUuid) return true;
      const state = node.provisionState;
      if (FREE.includes(state))
        return (await isAccepted(() => clear(engine, serverUuid, nodeUuid))) || undefined;
      if (state === 'error' && isAsked) {
        throw new IngotError('aborted', `Node ${nodeUuid}: ${node.lastError ?? 'tearing it down failed'}`);
      }
      if (stateAfter(state, 'deleted') !== undefined) {
        isAsked = (await isAccepted(() => engine.provision(nodeUuid, { verb: 'deleted' }))) || isAsked;
      } else if (kindOf(state) === 'hold') {
        // a node on hold must be aborted before it can be deleted
        await isAccepted(() => engine.provision(nodeUuid, { verb: 'abort' }));
      } else if (state === 'deleting') {
        isAsked = true;
      }
      return undefined;
    },
    { signal, limitMs: LIMIT_MS, what },
  );
}

/** Removes the record of the instance from a node, unless the node has another instance by now. */
async function clear(
  engine: Pick<Engine, 'updateNode'>,
  serverUuid: string,
  nodeUuid: string,
): Promise<void> {
  await engine.updateNode(nodeUuid, 'release instance', ({ instanceUuid }) =>
    instanceUuid === serverUuid ? { instanceUuid: null, instanceInfo: {} } : {},
  );
}
