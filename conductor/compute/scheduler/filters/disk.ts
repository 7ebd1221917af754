/**
 * DiskFilter: room for root, ephemeral and swap, by `properties/local_gb`.
 */
import type { Filter } from './filter.ts';

export const disk: Filter = (host, { diskMb }) =>
  host.diskMb >= diskMb ? undefined : `${host.diskMb} MB of disk, asked for ${diskMb} MB`;
