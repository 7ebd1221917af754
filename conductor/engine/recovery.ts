/**
 * Recovery at the start of the conductor: releases all locks, fails nodes in a busy state without an operation, and
 * continues unfinished operations as their steps declare.
 */
import type { Operation } from '../domain/operations.ts';
import { kindOf } from '../domain/states.ts';
import { listAll } from '../domain/store/page.ts';
import { findStep } from './hardware.ts';
import type { EngineParts } from './parts.ts';
import { move } from './state-move.ts';

/** Returns the nodes to advance. */
export async function recover(deps: EngineParts): Promise<string[]> {
  const { store, logger } = deps;
  await store.nodes.releaseAll(deps.settings.host);
  const unfinished = await store.operations.unfinished();
  for (const operation of unfinished) await recoverOperation(deps, operation);
  await recoverNodes(deps, new Set(unfinished.map((operation) => operation.nodeUuid)));
  if (unfinished.length > 0) logger.info({ operations: unfinished.length }, 'unfinished operations go on');
  return unfinished.map((operation) => operation.nodeUuid);
}

async function recoverOperation(deps: EngineParts, operation: Operation): Promise<void> {
  const step = operation.steps[operation.cursor];
  const node = await deps.store.nodes.find(operation.nodeUuid);
  if (step === undefined || node === undefined || step.state !== 'running' || step.where === 'agent') return;
  const implementation = findStep(deps.hardware.of(node), operation.kind, step);
  if (implementation?.onRestart === 'rerun') {
    await deps.store.operations.updateStep(operation.id, step.index, { memo: {} });
  }
  if (implementation === undefined || implementation.onRestart === 'fail') {
    const error = `${operation.kind} step ${step.interface}.${step.step} was interrupted by a restart of the conductor and cannot be taken up again.`;
    await deps.store.operations.update(operation.id, { error });
  }
}

/** The result of an interrupted power change is unknown; a busy state without an operation is an error. */
async function recoverNodes(deps: EngineParts, working: ReadonlySet<string>): Promise<void> {
  const { store } = deps;
  for (const node of await listAll(store.nodes, {})) {
    const stuck = kindOf(node.provisionState) === 'busy' && !working.has(node.uuid);
    const pending = node.targetPowerState !== null;
    if (!stuck && !pending) continue;
    const now = deps.now();
    const failed = stuck
      ? {
          ...move(node, 'fail', now),
          lastError: `The conductor restarted while the node was ${node.provisionState} and found no record of the work.`,
        }
      : {};
    const power = pending
      ? {
          targetPowerState: null,
          lastError: `The conductor restarted during a change to '${node.targetPowerState}'; see the power state and ask again.`,
        }
      : {};
    await store.nodes.update(
      node.uuid,
      { ...(working.has(node.uuid) ? { targetPowerState: null } : power), ...failed },
      now,
    );
  }
}
