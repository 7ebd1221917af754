/**
 * Candidates through filters, and what became of the others.
 */
import type { FilterEntry } from './filters/table.ts';
import type { HostState } from './host-state.ts';
import type { RequestSpec } from './request-spec.ts';

export interface Removal {
  readonly host: HostState;
  readonly filter: string;
  readonly reason: string;
}

export interface FilterStep {
  readonly filter: string;
  /** Hosts that came to this filter. */
  readonly before: number;
  readonly removed: number;
}

export interface Filtered {
  /** Indexes of the hosts that passed, in their order. */
  readonly passed: number[];
  readonly steps: readonly FilterStep[];
  readonly removals: readonly Removal[];
}

/** Each filter in turn over those that the filters before have left. */
export function filterHosts(
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
  filters: readonly FilterEntry[],
): Filtered {
  const removals: Removal[] = [];
  const steps: FilterStep[] = [];
  let passed = [...candidates];
  for (const { name, filter } of filters) {
    const left: number[] = [];
    for (const index of passed) {
      const host = hosts[index]!;
      const reason = filter(host, spec);
      if (reason === undefined) left.push(index);
      else removals.push({ host, filter: name, reason });
    }
    steps.push({ filter: name, before: passed.length, removed: passed.length - left.length });
    passed = left;
  }
  return { passed, steps, removals };
}
