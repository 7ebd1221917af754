/**
 * The next action for a stored operation. Pure: the runner performs the action. The result of a step, such as the
 * time of its next call, is handled in step-result.ts.
 */
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import { OPERATIONS, type Operation } from '../domain/operations.ts';
import type { StepRecord } from '../domain/steps.ts';
import { CUT_BY_ABORT } from '../domain/waiting.ts';
import type { Change } from './change.ts';
import { HOLD_STEP } from './conductor-steps.ts';
import { resumed } from './state-move.ts';

const HOUR_MS = 3_600_000;

export type Action =
  /** Call the step. `begins`, if set, is stored first. */
  | { readonly kind: 'run'; readonly step: StepRecord; readonly begins?: Change }
  /** All steps are done. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'fail'; readonly error: IngotError };

export function nextAction(operation: Operation, node: Node, now: Date): Action {
  const step = operation.steps[operation.cursor];
  // The conductor stopped while it handled the stored error.
  if (operation.error !== null) return failure('interrupted', operation.error);
  if (node.bootTarget?.kind === 'ramdisk' && node.bootTarget.breach !== undefined) {
    return failure('agentFailure', node.bootTarget.breach);
  }
  const { maxHours } = OPERATIONS[operation.kind];
  if (workedMs(operation, now) > maxHours * HOUR_MS) {
    return failure('timeout', `the whole operation took longer than ${maxHours} h`);
  }
  if (step === undefined) return { kind: 'finish' };
  if (operation.abortRequested && isCuttable(operation, step)) {
    return failure('aborted', 'aborted by the operator');
  }
  if (step.state === 'running') return { kind: 'run', step };
  const begun = { state: 'running', startedAt: now } as const;
  return {
    kind: 'run',
    step: { ...step, ...begun },
    begins: {
      step: { index: step.index, patch: begun },
      node: { currentStep: shown(step), ...resumed(node, now) },
    },
  };
}

const failure = (code: 'interrupted' | 'timeout' | 'aborted' | 'agentFailure', text: string): Action => ({
  kind: 'fail',
  error: new IngotError(code, text),
});

/** Time since the start, without time on hold. */
function workedMs({ steps, startedAt }: Operation, now: Date): number {
  const heldMs = steps
    .filter((step) => step.step === HOLD_STEP && step.startedAt !== null)
    .reduce((sum, step) => sum + (+(step.finishedAt ?? now) - +(step.startedAt ?? now)), 0);
  return +now - +startedAt - heldMs;
}

/** An abort ends a step that has not begun or is abortable, and interrupts the wait for an agent. */
const isCuttable = ({ waitingFor }: Operation, step: StepRecord): boolean =>
  step.state !== 'running' || step.abortable || (waitingFor !== null && CUT_BY_ABORT[waitingFor.kind]);

/** The current step, as the node shows it. */
function shown({ interface: on, step, args, priority, where, abortable }: StepRecord) {
  return { interface: on, step, args, priority, where, abortable };
}
