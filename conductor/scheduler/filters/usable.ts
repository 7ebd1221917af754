/**
 * Inventory: the machine is free. Always first, whatever filters are configured: nobody gets a machine that is taken.
 */
import type { Filter } from './filter.ts';

export const usable: Filter = {
  passes: ({ unusable }) => unusable === undefined,
  reason: ({ unusable }) => unusable!,
};
