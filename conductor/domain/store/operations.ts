/**
 * Operations on nodes in the store, with their steps.
 */
import type { JsonObject } from '../json.ts';
import type { Operation, OperationKind, OperationState } from '../operations.ts';
import type { Step, StepProgress, StepState } from '../steps.ts';
import type { WaitingFor } from '../waiting.ts';

export interface NewOperation {
  readonly nodeUuid: string;
  readonly kind: OperationKind;
  readonly args: JsonObject;
  readonly steps: readonly Step[];
}

export interface OperationPatch {
  readonly state?: OperationState;
  readonly cursor?: number;
  readonly waitingFor?: WaitingFor | null;
  readonly deadline?: Date | null;
  readonly wakeAt?: Date | null;
  readonly abortRequested?: boolean;
  readonly error?: string | null;
  readonly finishedAt?: Date | null;
}

export interface StepPatch {
  readonly state?: StepState;
  readonly startedAt?: Date | null;
  readonly finishedAt?: Date | null;
  readonly progress?: StepProgress | null;
  readonly memo?: JsonObject;
}

export interface OperationStore {
  create(operation: NewOperation, now: Date): Promise<Operation>;
  find(id: number): Promise<Operation | undefined>;
  /** The operation of this node that is running or waiting. There is at most one. */
  current(nodeUuid: string): Promise<Operation | undefined>;
  /** Newest first. */
  list(nodeUuid: string, limit: number): Promise<Operation[]>;
  /** All operations that are running or waiting; used for recovery. */
  unfinished(): Promise<Operation[]>;
  update(id: number, patch: OperationPatch): Promise<Operation>;
  updateStep(id: number, index: number, patch: StepPatch): Promise<void>;
  /** Replaces all steps from `fromIndex` on. */
  replaceSteps(id: number, fromIndex: number, steps: readonly Step[]): Promise<Operation>;
}
