/**
 * How far a server's build is, from the deployment of its node: steps that are done, and of the one at work the part of
 * its bytes. Nova's ironic driver leaves this at nought.
 */
import type { Operation } from '../../../domain/operations.ts';

/** Percent, 100 only when all is done. Nothing is known of a server that is not being deployed: 0. */
export function buildProgress(operation: Pick<Operation, 'kind' | 'cursor' | 'steps'> | undefined): number {
  if (operation?.kind !== 'deploy' || operation.steps.length === 0) return 0;
  const { bytesDone = 0, bytesTotal = null } = operation.steps[operation.cursor]?.progress ?? {};
  const part = bytesTotal === null || bytesTotal === 0 ? 0 : Math.min(bytesDone / bytesTotal, 1);
  return Math.floor(
    (100 * Math.min(operation.cursor + part, operation.steps.length)) / operation.steps.length,
  );
}
