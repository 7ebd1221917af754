/**
 * How operations end: well, badly, or by an operator's abort.
 *
 * A failure is stored on the operation first; then the machine is made safe (powered off, no
 * ramdisk offered); then the node moves. A crash in between finds the stored error and goes on.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { OPERATIONS, type Operation, type OperationSpec } from '../domain/operations.ts';
import { nextState } from '../domain/states.ts';
import { closes, opens, type StepRecord } from '../domain/steps.ts';
import type { EngineDeps } from './deps.ts';
import { newUuid } from './identifiers.ts';
import { makeSafe } from './make-safe.ts';
import { operationSteps } from './operation-steps.ts';
import type { EngineParts } from './parts.ts';
import { move } from './state-move.ts';

interface Ending {
  readonly operation: Operation;
  readonly node: Node;
  readonly step: StepRecord | undefined;
  readonly error: unknown;
}

/** All steps done: the node moves on; tearing down goes over into cleaning in the same transaction. */
export async function finishOperation(deps: EngineParts, operation: Operation, node: Node): Promise<void> {
  const now = deps.now();
  const spec = OPERATIONS[operation.kind];
  const manual = operation.kind === 'clean' && operation.args['manual'] === true;
  const retired = operation.kind === 'clean' && node.retired;
  const moved = move(node, manual || retired ? 'manage' : spec.done, now);
  await deps.store.transaction(async (tx) => {
    await tx.operations.update(operation.id, { state: 'done', finishedAt: now });
    const inspected: NodePatch =
      operation.kind === 'inspect'
        ? { inspectionStartedAt: null, inspectionFinishedAt: node.inspectionFinishedAt ?? now }
        : {};
    const gone: NodePatch = operation.kind === 'delete' ? { instanceName: null } : {};
    await tx.nodes.update(
      node.uuid,
      { ...moved, ...inspected, ...gone, currentStep: null, lastError: null },
      now,
    );
    if (operation.kind === 'delete') {
      if (node.allocationUuid !== null) await tx.allocations.delete(node.allocationUuid);
      const steps = operationSteps(deps.hardware.of(node), node, 'clean', deps.settings);
      const { requestedBy } = operation.args;
      const args = requestedBy === undefined ? {} : { requestedBy };
      await tx.operations.create({ nodeUuid: node.uuid, kind: 'clean', args, steps }, now);
    }
  });
  await remember(deps, node, operation, 'INFO', `${operation.kind} finished`);
  deps.logger.info(
    { node: node.uuid, operation: operation.kind, state: moved.provisionState },
    'operation finished',
  );
}

/** last_error names the step that stopped and what to try. */
export async function failOperation(deps: EngineParts, hardware: Hardware, ending: Ending): Promise<void> {
  const { operation, node, step } = ending;
  const message = describe(operation, step, ending.error);
  if (!(ending.error instanceof IngotError)) {
    deps.logger.error(
      { err: ending.error, node: node.uuid },
      'an operation failed by a fault of the conductor',
    );
  }
  // As stored it also says whether the step had begun.
  const { steps } = await deps.store.operations.update(operation.id, { error: message });
  const spec: OperationSpec = OPERATIONS[operation.kind];
  const unsafe = spec.bootsRamdisk ? await makeSafe(deps, hardware, node) : undefined;
  const text = unsafe === undefined ? message : `${message} Also, ${unsafe}`;

  const aborted = operation.abortRequested;
  const now = deps.now();
  await deps.store.transaction(async (tx) => {
    const current = (await tx.nodes.find(node.uuid)) ?? node;
    const cleanFault: NodePatch =
      operation.kind === 'clean' && hasCleaned(steps) && !aborted
        ? { maintenance: true, maintenanceReason: text, fault: 'clean failure' }
        : {};
    if (step !== undefined)
      await tx.operations.updateStep(operation.id, step.index, { state: 'failed', finishedAt: now });
    await tx.operations.update(operation.id, {
      state: aborted ? 'aborted' : 'failed',
      error: text,
      finishedAt: now,
    });
    await tx.nodes.update(
      node.uuid,
      {
        ...move(current, failEvent(current), now),
        ...cleanFault,
        ...(operation.kind === 'inspect' ? { inspectionStartedAt: null } : {}),
        currentStep: null,
        lastError: text,
      },
      now,
    );
  });
  await remember(deps, node, operation, 'ERROR', text);
  deps.logger.warn({ node: node.uuid, operation: operation.kind, error: text }, 'operation failed');
}

/** A clean that stops while or after changing the machine leaves a node nobody should deploy without looking. */
const hasCleaned = (steps: readonly StepRecord[]): boolean =>
  steps.some((step) => step.state !== 'pending' && !opens(step) && !closes(step));

/** Out of a hold only an abort leads to failure. */
const failEvent = (node: Node): 'fail' | 'abort' =>
  nextState(node.provisionState, 'fail') === undefined ? 'abort' : 'fail';

function describe(operation: Operation, step: StepRecord | undefined, error: unknown): string {
  if (operation.error !== null) return operation.error;
  const cause = error instanceof Error ? error.message : String(error);
  const text = error instanceof IngotError ? cause : `fault of the conductor: ${cause}`;
  const where = step === undefined ? operation.kind : `${operation.kind} step ${step.interface}.${step.step}`;
  return `${where} failed: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

async function remember(
  deps: EngineDeps,
  node: Node,
  operation: Operation,
  severity: 'ERROR' | 'INFO',
  event: string,
): Promise<void> {
  const now = deps.now();
  const { requestedBy = null } = operation.args;
  const { user, project } = isJsonObject(requestedBy) ? requestedBy : {};
  await deps.store.history.add({
    uuid: newUuid(),
    nodeUuid: node.uuid,
    createdAt: now,
    severity,
    eventType: OPERATIONS[operation.kind].busy,
    event,
    conductor: deps.settings.host,
    user: textOrNull(user),
    project: textOrNull(project),
    state: node.provisionState,
    targetProvisionState: node.targetProvisionState,
    durationSeconds:
      node.provisionUpdatedAt === null ? null : Math.floor((+now - +node.provisionUpdatedAt) / 1000),
  });
}

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
