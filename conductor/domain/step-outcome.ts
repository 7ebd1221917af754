/** What a step, or a piece of work inside one, answers each time it is advanced. */
import type { Step } from './steps.ts';

/** Call again at the next heartbeat or sighting, at `wakeAt`, or fail at `deadline`. */
export interface Wait {
  readonly kind: 'wait';
  /** Shown to operators: "agent to call back", "write_image". */
  readonly what: string;
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
  /** Stand still until an operator says `unhold`; `what` is shown. The only wait without a deadline. */
  | { readonly kind: 'hold'; readonly what: string };
