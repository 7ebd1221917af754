/**
 * Nodes within nodes: a card with a BMC of its own has the machine it sits in as its parent. Families have two
 * generations, and a child that has no power supply of its own lives on its parent's power. API 1.83.
 */
import type { PowerTarget } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { NodeStore } from '../domain/store.ts';
import type { RunnerDeps } from './runner.ts';

const BMC_WORK_MS = 120_000;
const CHILDREN = { limit: 1_000, sortKey: 'id', sortDir: 'asc' } as const;

export const childrenOf = (nodes: NodeStore, uuid: string): Promise<Node[]> =>
  nodes.list({ parentNode: uuid }, CHILDREN);

/** Throws invalidParameter when `parent` can not be the parent of the node. */
export async function checkParent(
  nodes: NodeStore,
  uuid: string,
  parent: string | null | undefined,
): Promise<void> {
  if (parent == null) return;
  const refuse = (why: string): IngotError =>
    new IngotError('invalidParameter', `parent_node of node ${uuid} can not be ${parent}: ${why}.`);
  if (parent === uuid) throw refuse('a node is not its own parent');
  const found = await nodes.find(parent);
  if (found === undefined) throw refuse('there is no such node');
  if (found.parentNode !== null) throw refuse(`that one is itself a child, of ${found.parentNode}`);
  const [child] = await childrenOf(nodes, uuid);
  if (child !== undefined) throw refuse(`node ${uuid} has children itself, such as ${child.uuid}`);
}

const hasOwnPower = ({ driverInfo }: Node): boolean => driverInfo['has_dedicated_power_supply'] === true;

/** Changes the power of another node of the family, under its lock. */
export type ChangePower = (node: Node, target: PowerTarget, signal: AbortSignal) => Promise<unknown>;

/**
 * What has to happen before `node` is brought to `target`: its parent on before it is, its children off before they
 * lose their power. Throws nodeLocked when one of them is busy, and whatever their BMCs throw.
 */
export async function preparePower(
  deps: RunnerDeps,
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
