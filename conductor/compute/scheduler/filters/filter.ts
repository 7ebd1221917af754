/**
 * What a filter is.
 */
import type { HostState } from '../host-state.ts';
import type { RequestSpec } from '../request-spec.ts';

/** Why the host can not have the instance, or undefined when it can. Pure. */
export type Filter = (host: HostState, spec: RequestSpec) => string | undefined;
