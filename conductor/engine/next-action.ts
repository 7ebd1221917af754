/**
 * What an operation needs next, from what is stored of it. Pure: the runner does what is answered here, and how long
 * a step may take, what it has seen of a boot and when to look again is for the step to say (step-result.ts).
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
  /** Call the step; where it is to begin, that is stored before. */
  | { readonly kind: 'run'; readonly step: StepRecord; readonly begins?: Change }
  /** All steps are done. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'fail'; readonly error: IngotError };

export function nextAction(operation: Operation, node: Node, now: Date): Action {
  const step = operation.steps[operation.cursor];
  // An error that is stored was being dealt with when the conductor stopped.
  if (operation.error !== null) return failure('interrupted', operation.error);
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

const failure = (code: 'interrupted' | 'timeout' | 'aborted', text: string): Action => ({
  kind: 'fail',
  error: new IngotError(code, text),
});

/** Since it began; time on hold does not count. */
function workedMs({ steps, startedAt }: Operation, now: Date): number {
  const heldMs = steps
    .filter((step) => step.step === HOLD_STEP && step.startedAt !== null)
    .reduce((sum, step) => sum + (+(step.finishedAt ?? now) - +(step.startedAt ?? now)), 0);
  return +now - +startedAt - heldMs;
}

/** An abort ends a step that has not begun or allows it, and cuts the wait for an agent. */
const isCuttable = ({ waitingFor }: Operation, step: StepRecord): boolean =>
  step.state !== 'running' || step.abortable || (waitingFor !== null && CUT_BY_ABORT[waitingFor.kind]);

/** The step at work, as the node shows it. */
function shown({ interface: on, step, args, priority, where, abortable }: StepRecord) {
  return { interface: on, step, args, priority, where, abortable };
}
