/**
 * The interface of a weigher.
 */
import type { HostState } from '../host-state.ts';
import type { RequestSpec } from '../request-spec.ts';

/** The host's raw score; higher is better. Scores are scaled to 0..1 over all hosts, then multiplied. Pure. */
export type Weigher = (host: HostState, spec: RequestSpec) => number;
