/**
 * Traits (Placement's part in Nova): every `trait:T=required`, no `trait:T=forbidden`.
 */
import type { Filter } from './filter.ts';

export const traits: Filter = (host, { requiredTraits, forbiddenTraits }) => {
  for (const trait of requiredTraits) {
    if (!host.traits.has(trait)) return `without the trait ${trait}`;
  }
  for (const trait of forbiddenTraits) {
    if (host.traits.has(trait)) return `has the trait ${trait}, which is forbidden`;
  }
  return undefined;
};
