/**
 * An operation as it is stored: what a verb has started, its ordered steps and a cursor. `ingot watch` shows it to
 * operators. The kinds of operations are defined in operations/.
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
  /** Arguments of the request (config drive, steps). The store keeps secrets separately. */
  readonly args: JsonObject;
  readonly state: OperationState;
  /** Index of the current or next step; equals steps.length when all are done. */
  readonly cursor: number;
  readonly steps: readonly StepRecord[];
  /** While waiting: what for, and until when. Only a hold has no deadline. */
  readonly waitingFor: WaitingFor | null;
  readonly deadline: Date | null;
  /** While waiting: the runner checks again at this time even if nothing happens. */
  readonly wakeAt: Date | null;
  readonly abortRequested: boolean;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}
