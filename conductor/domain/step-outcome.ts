/** The result of a step, or of work inside a step, each time it is advanced. */
import type { Step } from './steps.ts';
import type { WaitingFor } from './waiting.ts';

/** Advance again at the next heartbeat or sighting or at `wakeAt`; fail at `deadline`. */
export interface Wait {
  readonly kind: 'wait';
  readonly waitingFor: WaitingFor;
  readonly deadline: Date;
  readonly wakeAt?: Date;
  /** Text of last_error when the deadline passes. */
  readonly overdue: string;
}

/** The result of work inside a step. */
export type WorkOutcome = { readonly kind: 'done' } | Wait;

export type StepOutcome =
  /** `insert`: in-band steps that became known; they are merged with the remaining steps. */
  | { readonly kind: 'done'; readonly insert?: readonly Step[] }
  | Wait
  /** Wait until an operator says `unhold`. The only wait without a deadline. */
  | { readonly kind: 'hold'; readonly waitingFor: WaitingFor };
