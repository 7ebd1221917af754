/**
 * BuildFailureWeigher: prefers hosts with fewer failed builds.
 */
import type { Weigher } from './weigher.ts';

export const buildFailure: Weigher = (host) => -host.failedBuilds;
