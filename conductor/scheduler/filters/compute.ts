/**
 * ComputeFilter: the compute service of the host is enabled and up.
 */
import type { Filter } from './filter.ts';

export const compute: Filter = {
  passes: ({ serviceDown }) => serviceDown === undefined,
  reason: ({ serviceDown }) => serviceDown!,
};
