/**
 * DiskFilter: enough space for root, ephemeral and swap, by `properties/local_gb`.
 */
import type { Filter } from './filter.ts';

export const disk: Filter = {
  passes: (host, { diskMb }) => host.diskMb >= diskMb,
  reason: (host, { diskMb }) => `${host.diskMb} MB of disk, asked for ${diskMb} MB`,
};
