/** What a step answers each time it is advanced. */
import type { Step } from './steps.ts';

export type StepOutcome =
  /** `insert`: in-band steps that became known and are merged with what remains. */
  | { readonly kind: 'done'; readonly insert?: readonly Step[] }
  /** Call again at the next heartbeat or sighting, at `wakeAt`, or fail at `deadline`. */
  | {
      readonly kind: 'wait';
      /** Shown to operators: "agent to call back", "write_image". */
      readonly what: string;
      readonly deadline: Date;
      readonly wakeAt?: Date;
      /** Text of last_error when the deadline passes. */
      readonly overdue: string;
    }
  /** Stand still until an operator says `unhold`; `what` is shown. The only wait without a deadline. */
  | { readonly kind: 'hold'; readonly what: string };
