/**
 * An operation as it is stored: what a verb has started, its ordered steps and a cursor; the row is also the timeline
 * shown to operators. What each kind of operation is stands in operations/.
 */
import type { JsonObject } from './json.ts';
import { OPERATIONS, type OperationKind } from './operations/table.ts';
import type { StepRecord } from './steps.ts';
import type { WaitingFor } from './waiting.ts';

export { OPERATIONS, type OperationKind };

export type OperationState = 'running' | 'waiting' | 'done' | 'failed' | 'aborted';

export interface Operation {
  readonly id: number;
  readonly nodeUuid: string;
  readonly kind: OperationKind;
  /** What the request asked for (config drive, steps); secrets are kept apart by the store. */
  readonly args: JsonObject;
  readonly state: OperationState;
  /** Index of the step at work or next; equals steps.length when all are done. */
  readonly cursor: number;
  readonly steps: readonly StepRecord[];
  /** While waiting: what for, and until when. Only a hold has no deadline. */
  readonly waitingFor: WaitingFor | null;
  readonly deadline: Date | null;
  /** While waiting: look again at this time even if nothing happened. */
  readonly wakeAt: Date | null;
  readonly abortRequested: boolean;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}
