/**
 * ComputeFilter: its compute service is enabled and has reported lately.
 */
import type { Filter } from './filter.ts';

export const compute: Filter = {
  passes: ({ serviceDown }) => serviceDown === undefined,
  reason: ({ serviceDown }) => serviceDown!,
};
