/**
 * Operations: what a verb starts. One row per operation with its ordered steps and a cursor;
 * the row is also the timeline shown to operators.
 */
import type { JsonObject } from './json.ts';
import type { ProvisionEvent, ProvisionState } from './states.ts';
import type { StepRecord } from './steps.ts';

export type OperationKind =
  | 'verify'
  | 'inspect'
  | 'clean'
  | 'deploy'
  | 'delete'
  | 'adopt'
  | 'rescue'
  | 'unrescue'
  | 'service';

export interface OperationSpec {
  /** The busy state the runner works in; its wait state follows from the state table. */
  readonly busy: ProvisionState;
  /** The event that ends it well. */
  readonly done: ProvisionEvent;
  /** Step kind shown on the wire as clean_step, deploy_step or service_step. */
  readonly shows?: 'clean_step' | 'deploy_step' | 'service_step';
  /** No single operation may take longer than this, whatever its steps say; time on hold does not count. */
  readonly maxHours: number;
  /** May boot the ramdisk, which must not go on running when the operation fails. */
  readonly bootsRamdisk?: true;
}

export const OPERATIONS = {
  verify: { busy: 'verifying', done: 'done', maxHours: 1 },
  inspect: { busy: 'inspecting', done: 'done', maxHours: 2, bootsRamdisk: true },
  clean: { busy: 'cleaning', done: 'done', shows: 'clean_step', maxHours: 72, bootsRamdisk: true },
  deploy: { busy: 'deploying', done: 'done', shows: 'deploy_step', maxHours: 12, bootsRamdisk: true },
  delete: { busy: 'deleting', done: 'clean', maxHours: 1 },
  adopt: { busy: 'adopting', done: 'done', maxHours: 1 },
  rescue: { busy: 'rescuing', done: 'done', maxHours: 2, bootsRamdisk: true },
  unrescue: { busy: 'unrescuing', done: 'done', maxHours: 2, bootsRamdisk: true },
  service: { busy: 'servicing', done: 'done', shows: 'service_step', maxHours: 72, bootsRamdisk: true },
} as const satisfies Record<OperationKind, OperationSpec>;

/** The operation an event starts when it enters a busy state. */
export function operationEntering(state: ProvisionState): OperationKind | undefined {
  return (Object.keys(OPERATIONS) as OperationKind[]).find((kind) => OPERATIONS[kind].busy === state);
}

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
  readonly waitingFor: string | null;
  readonly deadline: Date | null;
  /** While waiting: look again at this time even if nothing happened. */
  readonly wakeAt: Date | null;
  readonly abortRequested: boolean;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}
