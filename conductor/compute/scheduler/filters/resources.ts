/**
 * Resources (Placement's part in Nova): as much of each resource class as `resources:CLASS=N` asks for.
 */
import type { Filter } from './filter.ts';

export const resources: Filter = (host, { resources: asked }) => {
  for (const [resourceClass, amount] of asked) {
    const has = host.resources.get(resourceClass) ?? 0;
    if (has < amount) return `has ${has} of ${resourceClass}, asked for ${amount}`;
  }
  return undefined;
};
