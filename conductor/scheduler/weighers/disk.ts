/**
 * DiskWeigher: prefers more disk space; less with a negative multiplier.
 */
import type { Weigher } from './weigher.ts';

export const disk: Weigher = (host) => host.diskMb;
