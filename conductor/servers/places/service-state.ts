/**
 * Whether a compute service is up: it reports regularly and is not forced down.
 */
import type { ComputeService } from '../../domain/compute.ts';

export function isUp(
  { forcedDown, reportedAt }: Pick<ComputeService, 'forcedDown' | 'reportedAt'>,
  now: Date,
  downMs: number,
): boolean {
  return !forcedDown && reportedAt !== null && now.getTime() - reportedAt.getTime() <= downMs;
}
