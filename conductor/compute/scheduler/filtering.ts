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
  /** Reasons are looked up when somebody asks: filters are pure, and most requests are never explained. */
  readonly removals: () => Removal[];
}

/** Each filter in turn over those that the filters before have left. */
export function filterHosts(
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
  filters: readonly FilterEntry[],
): Filtered {
  const removed: number[][] = [];
  const steps: FilterStep[] = [];
  let passed = [...candidates];
  for (const { name, filter } of filters) {
    const left: number[] = [];
    const gone: number[] = [];
    for (const index of passed) (filter(hosts[index]!, spec) === undefined ? left : gone).push(index);
    removed.push(gone);
    steps.push({ filter: name, before: passed.length, removed: gone.length });
    passed = left;
  }
  const removals = () =>
    filters.flatMap(({ name, filter }, nth) =>
      removed[nth]!.map((index) => {
        const host = hosts[index]!;
        return { host, filter: name, reason: filter(host, spec)! };
      }),
    );
  return { passed, steps, removals };
}
