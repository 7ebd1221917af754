/**
 * Power of parent and child nodes: a child without a power supply of its own needs the power of its parent. API 1.83.
 */
import type { PowerTarget } from '../domain/drivers.ts';
import type { Node } from '../domain/node.ts';
import { childrenOf } from './child-nodes.ts';
import type { EngineParts } from './parts.ts';

const BMC_WORK_MS = 120_000;

const hasOwnPower = ({ driverInfo }: Node): boolean => driverInfo['has_dedicated_power_supply'] === true;

/** Changes the power of the parent or a child, under its lock. */
export type ChangePower = (node: Node, target: PowerTarget, signal: AbortSignal) => Promise<unknown>;

/**
 * Prepares a power change of `node`: powers on its parent first, and powers off its children before they lose power.
 * Throws nodeLocked when one of them is busy, and the errors of their BMCs.
 */
export async function preparePower(
  deps: EngineParts,
  node: Node,
  target: PowerTarget,
  signal: AbortSignal,
  change: ChangePower,
): Promise<void> {
  const holding = (other: Node, to: PowerTarget): Promise<void> =>
    deps.locks.hold(
      other.uuid,
      {
        purpose: `${to} with node ${node.uuid}`,
        deadlineMs: BMC_WORK_MS,
        queueMs: deps.settings.lockQueueMs,
      },
      async (own) => {
        await change(other, to, AbortSignal.any([own, signal]));
      },
    );
  const powerOf = (other: Node) =>
    deps.hardware.of(other).power.getPowerState({ node: other, ports: [], signal, now: deps.now });

  if (target === 'power off') {
    const children = (await childrenOf(deps.store.nodes, node.uuid)).filter((child) => !hasOwnPower(child));
    await Promise.all(
      children.map(async (child) => {
        if ((await powerOf(child)) !== 'power off') await holding(child, 'power off');
      }),
    );
  } else if (target !== 'soft power off' && node.parentNode !== null && !hasOwnPower(node)) {
    const parent = await deps.store.nodes.find(node.parentNode);
    if (parent !== undefined && (await powerOf(parent)) !== 'power on') await holding(parent, 'power on');
  }
}
