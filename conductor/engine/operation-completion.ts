/**
 * The end of operations: by success, failure, or an operator's abort.
 *
 * A failure is first stored on the operation; then the machine is made safe (powered off, no ramdisk); then the node
 * moves. After a crash in between, the next conductor finds the stored error and continues.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import { operationEntering } from '../domain/operations/table.ts';
import { OPERATIONS, type Operation } from '../domain/operations.ts';
import type { ProvisionState } from '../domain/states.ts';
import type { StepRecord } from '../domain/steps.ts';
import type { Store } from '../domain/store/store.ts';
import { applyChange } from './change.ts';
import { newUuid } from './identifiers.ts';
import { makeSafe } from './make-safe.ts';
import { describeFailure, failing, finishing, historyOf } from './operation-end.ts';
import { operationSteps } from './operation-steps.ts';
import type { EngineParts } from './parts.ts';

interface Ending {
  readonly operation: Operation;
  readonly node: Node;
  readonly step: StepRecord | undefined;
  readonly error: unknown;
}

/**
 * All steps are done: moves the node. If it moves into another operation, that one begins in the same transaction.
 */
export async function finishOperation(parts: EngineParts, operation: Operation, node: Node): Promise<void> {
  const now = parts.now();
  const { entered, ...change } = finishing(operation, node, now);
  await parts.store.transaction(async (tx) => {
    await applyChange(tx, operation, node, change, now);
    if (OPERATIONS[operation.kind].endsAllocation && node.allocationUuid !== null) {
      await tx.allocations.delete(node.allocationUuid);
    }
    await beginNext(parts, tx, { operation, node, entered, now });
  });
  await remember(parts, node, operation, 'INFO', `${operation.kind} finished`);
  parts.logger.info({ node: node.uuid, operation: operation.kind, state: entered }, 'operation finished');
}

/** The operation of the busy state that was just entered, for the caller of the previous one. */
async function beginNext(
  { hardware, settings }: EngineParts,
  tx: Store,
  { operation, node, entered, now }: { operation: Operation; node: Node; entered: ProvisionState; now: Date },
): Promise<void> {
  const kind = operationEntering(entered);
  if (kind === undefined) return;
  const steps = operationSteps(hardware.of(node), node, kind, settings);
  const { requestedBy } = operation.args;
  const args = requestedBy === undefined ? {} : { requestedBy };
  await tx.operations.create({ nodeUuid: node.uuid, kind, args, steps }, now);
}

/** last_error names the failed step and what to try. */
export async function failOperation(parts: EngineParts, hardware: Hardware, ending: Ending): Promise<void> {
  const { operation, node, step, error } = ending;
  const message = describeFailure(operation, step, error);
  if (!(error instanceof IngotError)) {
    parts.logger.error({ err: error, node: node.uuid }, 'an operation failed by a fault of the conductor');
  }
  // The stored operation also shows whether the step had begun.
  const stored = await parts.store.operations.update(operation.id, { error: message });
  const unsafe = OPERATIONS[operation.kind].bootsRamdisk ? await makeSafe(parts, hardware, node) : undefined;
  const text = unsafe === undefined ? message : `${message} Also, ${unsafe}`;
  const ended = { ...operation, steps: stored.steps };

  const now = parts.now();
  await parts.store.transaction(async (tx) => {
    const current = (await tx.nodes.find(node.uuid)) ?? node;
    const change = failing({ operation: ended, node: current, step, text }, now);
    await applyChange(tx, operation, current, change, now);
  });
  await remember(parts, node, operation, 'ERROR', text);
  parts.logger.warn({ node: node.uuid, operation: operation.kind, error: text }, 'operation failed');
}

async function remember(
  { store, settings, now }: EngineParts,
  node: Node,
  operation: Operation,
  severity: 'ERROR' | 'INFO',
  event: string,
): Promise<void> {
  const entry = historyOf(operation, node, now());
  await store.history.add({ ...entry, uuid: newUuid(), severity, event, conductor: settings.host });
}
