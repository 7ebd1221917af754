/**
 * Power of servers: requests a power state of the node and waits for it.
 */
import type { PowerTarget } from '../../domain/drivers.ts';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import type { Engine } from '../../engine/engine.ts';
import { isAccepted } from './node-moves.ts';
import { type NodeWaitDeps, nodeThat } from './node-wait.ts';

export interface NodePowerDeps extends NodeWaitDeps {
  readonly engine: Pick<Engine, 'power' | 'watchNode' | 'hardwareOf'>;
}

/** How long the system on the machine may take to shut down: Nova's shutdown_timeout. */
const SOFT_MS = 60_000;
const LIMIT_MS = 600_000;

/** Throws with the node's last_error when the power change fails. */
export async function setPower(
  deps: NodePowerDeps,
  nodeUuid: string,
  target: PowerTarget,
  signal: AbortSignal,
): Promise<void> {
  const wanted = target === 'power off' || target === 'soft power off' ? 'power off' : 'power on';
  const isReboot = target === 'rebooting' || target === 'soft rebooting';
  const softMs = target.startsWith('soft') ? SOFT_MS : undefined;
  let isAsked = false;

  await nodeThat(
    deps,
    nodeUuid,
    async (node): Promise<true | undefined> => {
      if (node === undefined) throw notFound('Node', nodeUuid);
      if (node.targetPowerState !== null) return undefined;
      const isThere = node.powerState === wanted && !(isReboot && !isAsked);
      if (isThere && !(isAsked && isReboot && node.lastError !== null)) return true;
      if (isAsked)
        throw new IngotError('bmcFailure', `Node ${nodeUuid}: ${node.lastError ?? `it is not ${wanted}`}`);
      isAsked = await isAccepted(() => deps.engine.power(nodeUuid, target, softMs));
      return undefined;
    },
    { signal, limitMs: LIMIT_MS, what: `node ${nodeUuid} to be ${wanted}` },
  );
}

/** Uses soft power off if the node supports it, then hard power off. */
export async function setPowerSoftly(
  deps: NodePowerDeps,
  node: Node,
  [soft, hard]: readonly [PowerTarget, PowerTarget],
  signal: AbortSignal,
): Promise<void> {
  if (deps.engine.hardwareOf(node).power.targets.includes(soft)) {
    try {
      return await setPower(deps, node.uuid, soft, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof IngotError)) throw error;
    }
  }
  await setPower(deps, node.uuid, hard, signal);
}
