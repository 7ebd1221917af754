/**
 * ComputeCapabilitiesFilter: compares extra specs with capabilities and attributes of the host.
 * For `capabilities:x`, the host must have x, and it must match. For `x` without a scope, x must match if the host
 * has it.
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
