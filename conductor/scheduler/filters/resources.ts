/**
 * Resources (Placement does this in Nova): the host has the amount of each resource class in `resources:CLASS=N`.
 */
import type { HostState } from '../host-state.ts';
import type { RequestSpec } from '../request-spec.ts';
import type { Filter } from './filter.ts';

export const resources: Filter = {
  isAsked: ({ resources: asked }) => asked.size > 0,
  passes: (host, spec) => lacking(host, spec) === undefined,
  reason(host, spec) {
    const [resourceClass, amount] = lacking(host, spec)!;
    return `has ${amountOf(host, resourceClass)} of ${resourceClass}, asked for ${amount}`;
  },
};

function lacking(host: HostState, { resources: asked }: RequestSpec): readonly [string, number] | undefined {
  for (const one of asked) if (amountOf(host, one[0]) < one[1]) return one;
  return undefined;
}

const amountOf = (host: HostState, resourceClass: string): number => host.resources.get(resourceClass) ?? 0;
