/**
 * RamFilter: enough memory for the flavor, by `properties/memory_mb`.
 */
import type { Filter } from './filter.ts';

export const ram: Filter = {
  passes: (host, { ramMb }) => host.ramMb >= ramMb,
  reason: (host, { ramMb }) => `${host.ramMb} MB of memory, asked for ${ramMb} MB`,
};
