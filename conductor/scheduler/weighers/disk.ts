/**
 * DiskWeigher: more disk; less with a negative multiplier.
 */
import type { Weigher } from './weigher.ts';

export const disk: Weigher = (host) => host.diskMb;
