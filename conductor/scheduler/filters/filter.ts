/**
 * The interface of a filter. `passes` runs for every host; the reason for a refusal is rarely needed, so it has its own
 * function.
 */
import type { HostState } from '../host-state.ts';
import type { RequestSpec } from '../request-spec.ts';

export interface Filter {
  /** Whether this filter can refuse a host for this request. If missing, the filter always runs. Pure. */
  isAsked?(spec: RequestSpec): boolean;
  /** Whether the host can have the instance. Pure. */
  passes(host: HostState, spec: RequestSpec): boolean;
  /** The reason why the host does not pass. Pure. */
  reason(host: HostState, spec: RequestSpec): string;
}

/** The reason why the host can not have the instance; undefined if it can. */
export function refusal(filter: Filter, host: HostState, spec: RequestSpec): string | undefined {
  const isPassed = filter.isAsked?.(spec) === false || filter.passes(host, spec);
  return isPassed ? undefined : filter.reason(host, spec);
}
