/**
 * What changes at the end of an operation, after success or failure, and its entry in the history. Pure.
 */
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { OPERATIONS, type Operation } from '../domain/operations.ts';
import { redactedText } from '../domain/redacted-url.ts';
import type { ProvisionState } from '../domain/states.ts';
import { closes, opens, type StepRecord } from '../domain/steps.ts';
import type { HistoryEntry } from '../domain/store/history.ts';
import { nextState } from '../domain/transitions.ts';
import type { Change } from './change.ts';
import { move } from './state-move.ts';

/** All steps are done. */
export function finishing(
  operation: Operation,
  node: Node,
  now: Date,
): Change & { readonly entered: ProvisionState } {
  const { doneEvent = 'done', endsOtherwise, onFinish } = OPERATIONS[operation.kind];
  const moved = move(node, endsOtherwise?.(operation.args, node) ?? doneEvent, now);
  return {
    operation: { state: 'done', finishedAt: now },
    node: { ...moved, ...onFinish?.(node, now), currentStep: null, lastError: null },
    entered: moved.provisionState,
  };
}

export interface Failure {
  readonly operation: Operation;
  /** The node as it is when the failure is stored. */
  readonly node: Node;
  readonly step: StepRecord | undefined;
  /** Becomes last_error. */
  readonly text: string;
}

export function failing({ operation, node, step, text }: Failure, now: Date): Change {
  const { onFailure, faultOnFailure: fault } = OPERATIONS[operation.kind];
  const aborted = operation.abortRequested;
  const broken: NodePatch =
    fault !== undefined && !aborted && hasChangedMachine(operation.steps)
      ? { maintenance: true, maintenanceReason: text, fault }
      : {};
  return {
    ...(step === undefined
      ? {}
      : { step: { index: step.index, patch: { state: 'failed', finishedAt: now } } }),
    operation: { state: aborted ? 'aborted' : 'failed', error: text, finishedAt: now },
    node: {
      ...move(node, failEvent(node), now),
      ...broken,
      ...onFailure,
      currentStep: null,
      lastError: text,
    },
  };
}

/** Whether a step has begun other than booting the ramdisk or powering off. */
const hasChangedMachine = (steps: readonly StepRecord[]): boolean =>
  steps.some((step) => step.state !== 'pending' && !opens(step) && !closes(step));

/** From a hold only an abort leads to failure. */
const failEvent = (node: Node): 'fail' | 'abort' =>
  nextState(node.provisionState, 'fail') === undefined ? 'abort' : 'fail';

/** The text of last_error: the failed step, the reason, and what to try. */
export function describeFailure(operation: Operation, step: StepRecord | undefined, error: unknown): string {
  if (operation.error !== null) return operation.error;
  const cause = error instanceof Error ? error.message : String(error);
  const text = error instanceof IngotError ? cause : `fault of the conductor: ${cause}`;
  const where = step === undefined ? operation.kind : `${operation.kind} step ${step.interface}.${step.step}`;
  // Agents and BMCs write texts, too.
  return redactedText(`${where} failed: ${text}${/[.!?]$/.test(text) ? '' : '.'}`);
}

/** The entry in the history. `node` is the node before the end. */
export function historyOf(
  operation: Operation,
  node: Node,
  now: Date,
): Omit<HistoryEntry, 'uuid' | 'severity' | 'event' | 'conductor'> {
  const { requestedBy = null } = operation.args;
  const { user, project } = isJsonObject(requestedBy) ? requestedBy : {};
  const { provisionUpdatedAt: since } = node;
  return {
    nodeUuid: node.uuid,
    createdAt: now,
    eventType: OPERATIONS[operation.kind].states.busy,
    user: textOrNull(user),
    project: textOrNull(project),
    state: node.provisionState,
    targetProvisionState: node.targetProvisionState,
    durationSeconds: since === null ? null : Math.floor((+now - +since) / 1000),
  };
}

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
