/**
 * ComputeCapabilitiesFilter: extra specs against capabilities and attributes of the host.
 * `capabilities:x` must be there and match; `x` without a scope must match if the host has such a thing.
 */
import type { Filter } from './filter.ts';

export const computeCapabilities: Filter = (host, { capabilities }) => {
  for (const { name, read, hasScope, asked, matches } of capabilities) {
    const value = read(host);
    if (value === undefined) {
      if (!hasScope) continue;
      return `no capability ${name}, ${asked}`;
    }
    if (!matches(String(value))) return `capability ${name} is ${value}, ${asked}`;
  }
  return undefined;
};
