/**
 * Traits (Placement does this in Nova): the host has every trait with `trait:T=required` and none with
 * `trait:T=forbidden`.
 */
import type { Filter } from './filter.ts';

export const traits: Filter = {
  isAsked: ({ requiredTraits, forbiddenTraits }) => requiredTraits.length + forbiddenTraits.length > 0,
  passes: (host, { requiredTraits, forbiddenTraits }) =>
    requiredTraits.every((trait) => host.traits.has(trait)) &&
    !forbiddenTraits.some((trait) => host.traits.has(trait)),
  reason(host, { requiredTraits, forbiddenTraits }) {
    const missing = requiredTraits.find((trait) => !host.traits.has(trait));
    if (missing !== undefined) return `without the trait ${missing}`;
    const unwanted = forbiddenTraits.find((trait) => host.traits.has(trait));
    return `has the trait ${unwanted}, which is forbidden`;
  },
};
