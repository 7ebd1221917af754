/**
 * Every move of the state table, derived from the operations: for each state and event the next state. API checks,
 * error texts and the diagram in docs/states.md use it.
 */
import type { OperationDefinition, Transition } from './operations/definition.ts';
import { OPERATION_KINDS, OPERATIONS } from './operations/table.ts';
import type { ProvisionEvent, ProvisionState } from './states.ts';

/** Moves that belong to no operation. */
const RESTING: readonly Transition[] = [['available', 'manage', 'manageable']];

function movesOf(definition: OperationDefinition): Transition[] {
  const { starts, moves = [], doneEvent = 'done' } = definition;
  const { busy, wait, hold, failed, done } = definition.states;
  const begins = (Object.entries(starts) as [ProvisionEvent, readonly ProvisionState[]][]).flatMap(
    ([event, states]) => states.map((from): Transition => [from, event, busy]),
  );
  const working: Transition[] = [
    [busy, doneEvent, done],
    [busy, 'fail', failed],
    ...(wait === undefined ? [] : ([[busy, 'wait', wait]] as const)),
    ...(hold === undefined ? [] : ([[busy, 'hold', hold]] as const)),
  ];
  const waiting: Transition[] =
    wait === undefined
      ? []
      : [
          [wait, 'resume', busy],
          ...(hold === undefined ? [] : ([[wait, 'hold', hold]] as const)),
          [wait, 'fail', failed],
          [wait, 'abort', failed],
        ];
  const holding: Transition[] =
    hold === undefined
      ? []
      : [...(wait === undefined ? [] : ([[hold, 'unhold', wait]] as const)), [hold, 'abort', failed]];
  return [...begins, ...working, ...waiting, ...holding, ...moves];
}

export const TRANSITIONS: readonly Transition[] = [
  ...OPERATION_KINDS.flatMap((kind) => movesOf(OPERATIONS[kind])),
  ...RESTING,
];

const NEXT = new Map<string, ProvisionState>(
  TRANSITIONS.map(([from, event, to]) => [`${from}\0${event}`, to]),
);

/** The next state, or undefined when the event is not allowed in `from`. */
export function nextState(from: ProvisionState, event: ProvisionEvent): ProvisionState | undefined {
  return NEXT.get(`${from}\0${event}`);
}

export function eventsFrom(from: ProvisionState): ProvisionEvent[] {
  return TRANSITIONS.filter(([state]) => state === from).map(([, event]) => event);
}
