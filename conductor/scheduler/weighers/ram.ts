/**
 * RAMWeigher: prefers more memory; less with a negative multiplier.
 */
import type { Weigher } from './weigher.ts';

export const ram: Weigher = (host) => host.ramMb;
