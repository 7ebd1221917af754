/**
 * The progress of a server's build, from its node's deployment: the done steps, and the current step in proportion to
 * its bytes. Nova's ironic driver always reports 0.
 */
import type { Operation } from '../../../domain/operations.ts';

/** Percent; 100 only when all steps are done, 0 without a deployment. */
export function buildProgress(operation: Pick<Operation, 'kind' | 'cursor' | 'steps'> | undefined): number {
  if (operation?.kind !== 'deploy' || operation.steps.length === 0) return 0;
  const { bytesDone = 0, bytesTotal = null } = operation.steps[operation.cursor]?.progress ?? {};
  const part = bytesTotal === null || bytesTotal === 0 ? 0 : Math.min(bytesDone / bytesTotal, 1);
  return Math.floor(
    (100 * Math.min(operation.cursor + part, operation.steps.length)) / operation.steps.length,
  );
}
