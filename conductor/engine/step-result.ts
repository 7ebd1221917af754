/**
 * The effect of a step's result: what is stored, and when to advance again. Pure.
 */
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { Operation } from '../domain/operations.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import { mergeInBand, nameOf, type Step, type StepRecord, sameStep } from '../domain/steps.ts';
import { nextState } from '../domain/transitions.ts';
import type { Change } from './change.ts';
import { move, resumed } from './state-move.ts';

export interface StepResult {
  /** Undefined when nothing has changed since the last call. */
  readonly change?: Change;
  /** `never`: not before an event of the node. */
  readonly lookAgain: 'now' | 'never' | Date;
}

interface StepMade {
  readonly operation: Operation;
  readonly step: StepRecord;
  /** The node with the step's changes. */
  readonly node: Node;
}

type Done = Extract<StepOutcome, { kind: 'done' }>;
type Wait = Extract<StepOutcome, { kind: 'wait' }>;
type Hold = Extract<StepOutcome, { kind: 'hold' }>;

/** Throws timeout when a wait is overdue, invalidParameter for a step of the request that neither driver nor agent has. */
export function resultOf(made: StepMade, outcome: StepOutcome, now: Date): StepResult {
  switch (outcome.kind) {
    case 'done':
      return ended(made, outcome, now);
    case 'wait':
      return waits(made, outcome, now);
    case 'hold':
      return holds(made, outcome, now);
  }
}

function ended({ operation, step, node }: StepMade, { insert }: Done, now: Date): StepResult {
  const cursor = operation.cursor + 1;
  const back = resumed(node, now);
  return {
    change: {
      step: { index: step.index, patch: { state: 'done', finishedAt: now } },
      operation: { state: 'running', cursor, waitingFor: null, deadline: null, wakeAt: null },
      ...(insert === undefined
        ? {}
        : { newSteps: { fromIndex: cursor, steps: remainingSteps(operation, insert) } }),
      ...(back === undefined ? {} : { node: back }),
    },
    lookAgain: 'now',
  };
}

/** In-band steps became known: checks the operator's steps against them, and merges the others. */
function remainingSteps({ steps, cursor, args }: Operation, inBand: readonly Step[]): Step[] {
  const finished = steps.slice(0, cursor + 1);
  const remaining = steps.slice(cursor + 1);
  const isKnown = (step: Step) => inBand.some((one) => sameStep(one, step));
  const unknown = remaining.filter((step) => step.where === 'agent' && !isKnown(step));
  if (unknown.length > 0) {
    throw new IngotError(
      'invalidParameter',
      `neither the driver nor the agent on this node knows the step ${unknown.map(nameOf).join(', ')}`,
    );
  }
  if (args['manual'] === true) return remaining;
  const { disabledSteps: disabled } = args;
  return mergeInBand(finished, remaining, inBand, Array.isArray(disabled) ? disabled : []);
}

function waits({ operation, node }: StepMade, outcome: Wait, now: Date): StepResult {
  const { deadline, waitingFor, overdue } = outcome;
  if (now >= deadline) throw new IngotError('timeout', overdue);
  const wakeAt = outcome.wakeAt !== undefined && outcome.wakeAt < deadline ? outcome.wakeAt : deadline;
  const enters = nextState(node.provisionState, 'wait') !== undefined;
  if (!enters && waitsAlready(operation, outcome)) return { lookAgain: wakeAt };
  return {
    change: {
      operation: { state: 'waiting', waitingFor, deadline, wakeAt },
      ...(enters ? { node: move(node, 'wait', now) } : {}),
    },
    lookAgain: wakeAt,
  };
}

const waitsAlready = (operation: Operation, { waitingFor, deadline }: Wait): boolean =>
  operation.state === 'waiting' &&
  operation.waitingFor?.kind === waitingFor.kind &&
  operation.waitingFor.text === waitingFor.text &&
  +(operation.deadline ?? 0) === +deadline;

/** Only a verb moves the node from here. */
function holds({ node }: StepMade, { waitingFor }: Hold, now: Date): StepResult {
  if (nextState(node.provisionState, 'hold') === undefined) return { lookAgain: 'never' };
  return {
    change: {
      operation: { state: 'waiting', waitingFor, deadline: null, wakeAt: null },
      node: move(node, 'hold', now),
    },
    lookAgain: 'never',
  };
}
