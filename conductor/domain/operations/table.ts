/**
 * All operations. Whoever adds one adds its states to `../states.ts`, its definition here, and its steps to the driver
 * interfaces that can do it.
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

/** The same without the literal types of each. */
export const OPERATIONS: Readonly<Record<OperationKind, OperationDefinition>> = DEFINITIONS;

export const OPERATION_KINDS = Object.keys(OPERATIONS) as OperationKind[];

/** The operation whose busy state this is. */
export function operationEntering(state: ProvisionState): OperationKind | undefined {
  return OPERATION_KINDS.find((kind) => OPERATIONS[kind].states.busy === state);
}

/** The states in which its step at work is shown: while it is under way, and after it has failed. */
export function statesShowing(extension: StepExtension): readonly ProvisionState[] {
  return OPERATION_KINDS.filter((kind) => OPERATIONS[kind].agentExtension === extension).flatMap((kind) => {
    const { busy, wait, hold, failed } = OPERATIONS[kind].states;
    return [busy, wait, hold, failed].filter((state) => state !== undefined);
  });
}
