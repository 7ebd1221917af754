/**
 * All operations. A new operation needs its states in `../states.ts`, its definition here, and its steps in driver
 * interfaces.
 */
import type { StepExtension } from '@ingot/shared/agent/steps.ts';
import type { ProvisionState } from '../states.ts';
import { adopt } from './adopt.ts';
import { clean } from './clean.ts';
import type { OperationDefinition } from './definition.ts';
import { deletion } from './delete.ts';
import { deploy } from './deploy.ts';
import { inspect } from './inspect.ts';
import { rescue } from './rescue.ts';
import { service } from './service.ts';
import { unrescue } from './unrescue.ts';
import { verify } from './verify.ts';

export const DEFINITIONS = {
  verify,
  inspect,
  clean,
  deploy,
  delete: deletion,
  adopt,
  rescue,
  unrescue,
  service,
} as const;

export type OperationKind = keyof typeof DEFINITIONS;

/** The same without the literal types. */
export const OPERATIONS: Readonly<Record<OperationKind, OperationDefinition>> = DEFINITIONS;

export const OPERATION_KINDS = Object.keys(OPERATIONS) as OperationKind[];

/** The operation that has this busy state. */
export function operationEntering(state: ProvisionState): OperationKind | undefined {
  return OPERATION_KINDS.find((kind) => OPERATIONS[kind].states.busy === state);
}

/** The states in which its current step is shown: while it runs, and after it failed. */
export function statesShowing(extension: StepExtension): readonly ProvisionState[] {
  return OPERATION_KINDS.filter((kind) => OPERATIONS[kind].agentExtension === extension).flatMap((kind) => {
    const { busy, wait, hold, failed } = OPERATIONS[kind].states;
    return [busy, wait, hold, failed].filter((state) => state !== undefined);
  });
}
