/**
 * CPUWeigher: prefers more processors; fewer with a negative multiplier.
 */
import type { Weigher } from './weigher.ts';

export const cpu: Weigher = (host) => host.vcpus;
