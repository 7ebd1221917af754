/**
 * Applies the filters to the candidates and records which hosts each filter removed.
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
  /** Number of hosts that reached this filter. */
  readonly before: number;
  readonly removed: number;
}

export interface Filtered {
  /** Indexes of the hosts that passed, in the order of the candidates. */
  readonly passed: number[];
  readonly steps: readonly FilterStep[];
  /** Reasons are computed on demand: filters are pure, and most requests are never explained. */
  readonly removals: () => Removal[];
}

/** Applies each filter in turn to the hosts that passed the filters before it. */
export function filterHosts(
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
  filters: readonly FilterEntry[],
): Filtered {
  const tests = filters.map(({ filter }) => filter);
  const asked = tests.flatMap((filter, nth) => (filter.isAsked?.(spec) === false ? [] : [nth]));
  const removed = tests.map((): number[] => []);
  const passed: number[] = [];
  // the loop goes host by host for cache locality; the result is the same as filter by filter
  for (const index of candidates) {
    const host = hosts[index]!;
    let turn = 0;
    while (turn < asked.length && tests[asked[turn]!]!.passes(host, spec)) turn++;
    (turn === asked.length ? passed : removed[asked[turn]!]!).push(index);
  }
  let before = candidates.length;
  const steps = filters.map(({ name }, nth) => {
    const step = { filter: name, before, removed: removed[nth]!.length };
    before -= step.removed;
    return step;
  });
  const removals = () =>
    filters.flatMap(({ name, filter }, nth) =>
      removed[nth]!.map((index) => {
        const host = hosts[index]!;
        return { host, filter: name, reason: filter.reason(host, spec) };
      }),
    );
  return { passed, steps, removals };
}
