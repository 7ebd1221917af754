/** What a step, or a piece of work inside one, answers each time it is advanced. */
import type { Step } from './steps.ts';
import type { WaitingFor } from './waiting.ts';

/** Call again at the next heartbeat or sighting, at `wakeAt`, or fail at `deadline`. */
export interface Wait {
  readonly kind: 'wait';
  readonly waitingFor: WaitingFor;
  readonly deadline: Date;
  readonly wakeAt?: Date;
  /** Text of last_error when the deadline passes. */
  readonly overdue: string;
}

/** Of a piece of work inside a step. */
export type WorkOutcome = { readonly kind: 'done' } | Wait;

export type StepOutcome =
  /** `insert`: in-band steps that became known and are merged with what remains. */
  | { readonly kind: 'done'; readonly insert?: readonly Step[] }
  | Wait
  /** Stand still until an operator says `unhold`. The only wait without a deadline. */
  | { readonly kind: 'hold'; readonly waitingFor: WaitingFor };
