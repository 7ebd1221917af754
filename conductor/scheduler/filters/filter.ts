/**
 * What a filter is. It is asked of every host and mostly passes or refuses without anybody wanting to know why, so
 * the reason is a question of its own.
 */
import type { HostState } from '../host-state.ts';
import type { RequestSpec } from '../request-spec.ts';

export interface Filter {
  /** Whether the request has anything that this filter could refuse a host for; missing: always. Pure. */
  isAsked?(spec: RequestSpec): boolean;
  /** Whether the host can have the instance. Pure. */
  passes(host: HostState, spec: RequestSpec): boolean;
  /** Why not, of a host that does not pass. Pure. */
  reason(host: HostState, spec: RequestSpec): string;
}

/** Why the host can not have the instance, or undefined when it can. */
export function refusal(filter: Filter, host: HostState, spec: RequestSpec): string | undefined {
  const isPassed = filter.isAsked?.(spec) === false || filter.passes(host, spec);
  return isPassed ? undefined : filter.reason(host, spec);
}
