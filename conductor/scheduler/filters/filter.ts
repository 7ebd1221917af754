/**
 * The interface of a filter. `passes` runs for every host; the reason of a refusal is rarely needed, so it is a
 * function of its own.
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

/** Why the host can not have the instance, or undefined when it can. */
export function refusal(filter: Filter, host: HostState, spec: RequestSpec): string | undefined {
  const isPassed = filter.isAsked?.(spec) === false || filter.passes(host, spec);
  return isPassed ? undefined : filter.reason(host, spec);
}
