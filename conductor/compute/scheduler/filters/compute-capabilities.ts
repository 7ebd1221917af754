/**
 * ComputeCapabilitiesFilter: extra specs against capabilities and attributes of the host.
 * `capabilities:x` must be there and match; `x` without a scope must match if the host has such a thing.
 */
import { attributeOf } from '../attributes.ts';
import type { Filter } from './filter.ts';

export const computeCapabilities: Filter = (host, { capabilities }) => {
  for (const { key, path, hasScope, text, matches } of capabilities) {
    const value = attributeOf(host, path);
    if (value === undefined) {
      if (!hasScope) continue;
      return `no capability ${path.join(':')}, asked for ${key}=${text}`;
    }
    if (!matches(String(value))) return `capability ${path.join(':')} is ${value}, asked for ${key}=${text}`;
  }
  return undefined;
};
