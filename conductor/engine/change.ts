/**
 * The changes that one advance of an operation writes to the store, all of them or none.
 */
import type { Node, NodePatch } from '../domain/node.ts';
import type { Operation } from '../domain/operations.ts';
import type { Step } from '../domain/steps.ts';
import type { OperationPatch, StepPatch } from '../domain/store/operations.ts';
import type { Store } from '../domain/store/store.ts';

export interface Change {
  readonly step?: { readonly index: number; readonly patch: StepPatch };
  readonly operation?: OperationPatch;
  /** These replace the steps from this index on. */
  readonly newSteps?: { readonly fromIndex: number; readonly steps: readonly Step[] };
  readonly node?: NodePatch;
}

/** Returns the changed node. Call it within a transaction. */
export async function applyChange(
  tx: Store,
  { id }: Operation,
  node: Node,
  change: Change,
  now: Date,
): Promise<Node> {
  const { step, operation, newSteps } = change;
  if (step !== undefined) await tx.operations.updateStep(id, step.index, step.patch);
  if (operation !== undefined) await tx.operations.update(id, operation);
  if (newSteps !== undefined) await tx.operations.replaceSteps(id, newSteps.fromIndex, newSteps.steps);
  return change.node === undefined ? node : tx.nodes.update(node.uuid, change.node, now);
}
