/**
 * ComputeCapabilitiesFilter: extra specs against capabilities and attributes of the host.
 * `capabilities:x` must be there and match; `x` without a scope must match if the host has such a thing.
 */
import type { HostState } from '../host-state.ts';
import type { Requirement } from '../request-spec.ts';
import type { Filter } from './filter.ts';

export const computeCapabilities: Filter = {
  isAsked: ({ capabilities }) => capabilities.length > 0,
  passes: (host, { capabilities }) => unmet(host, capabilities) === undefined,
  reason(host, { capabilities }) {
    const { name, read, asked } = unmet(host, capabilities)!;
    const value = read(host);
    return value === undefined
      ? `no capability ${name}, ${asked}`
      : `capability ${name} is ${value}, ${asked}`;
  },
};

function unmet(host: HostState, capabilities: readonly Requirement[]): Requirement | undefined {
  for (const capability of capabilities) {
    const value = capability.read(host);
    if (value === undefined ? capability.hasScope : !capability.matches(String(value))) return capability;
  }
  return undefined;
}
