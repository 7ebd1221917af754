/**
 * BuildFailureWeigher: where fewer builds have failed.
 */
import type { Weigher } from './weigher.ts';

export const buildFailure: Weigher = (host) => -host.failedBuilds;
