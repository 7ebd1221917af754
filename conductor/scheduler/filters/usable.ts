/**
 * Inventory: the machine is free. This filter always runs first, whatever filters are configured, so that a machine in
 * use is never selected.
 */
import type { Filter } from './filter.ts';

export const usable: Filter = {
  passes: ({ unusable }) => unusable === undefined,
  reason: ({ unusable }) => unusable!,
};
