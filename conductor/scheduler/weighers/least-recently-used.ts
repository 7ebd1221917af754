/**
 * LeastRecentlyUsedWeigher: prefers the host that has been idle for longest, so that machines wear evenly.
 */
import type { Weigher } from './weigher.ts';

export const leastRecentlyUsed: Weigher = (host) => -host.lastUsedAtMs;
