/**
 * Measures one figure on both servers, in short alternating windows, so that load from other processes affects both
 * alike. Rates and latencies are the medians of the windows.
 */
import type { LoadGenerator } from './load.ts';
import type { LoadResult } from './load-process.ts';
import type { Scenario, Side } from './scenarios.ts';
import { cpuMs } from './subject.ts';

export interface Windows {
  readonly count: number;
  readonly ms: number;
}

export type Window = LoadResult & { readonly cpuMs: number };

export interface Figure {
  /** Counts only successful answers. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per request. */
  readonly cpuMs: number;
  readonly refused: Readonly<Record<string, number>>;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** One figure per side, in the order of `sides`. */
export async function measure(
  load: LoadGenerator,
  scenario: Scenario,
  sides: readonly Side[],
  connections: number,
  windows: Windows,
): Promise<Figure[]> {
  const results = sides.map((): Window[] => []);
  for (let turn = 0; turn < windows.count; turn += 1) {
    for (const [index, side] of sides.entries()) {
      results[index]!.push(await runWindow(load, scenario, side, connections, windows.ms));
    }
  }
  return results.map((each) => ({
    perSecond: median(each.map(({ served, ms }) => (served / ms) * 1_000)),
    p50Ms: median(each.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(each.map(({ p99Ms }) => p99Ms)),
    cpuMs: median(each.map(({ served, cpuMs }) => cpuMs / served)),
    refused: sum(each.map(({ refused }) => refused)),
  }));
}

export async function runWindow(
  load: LoadGenerator,
  scenario: Scenario,
  side: Side,
  connections: number,
  limitMs: number,
): Promise<Window> {
  const { repeat, collect = false } = scenario;
  scenario.prepare?.(side);
  const requests = scenario.requests(side);
  const { baseUrl } = side.subject;
  const before = cpuMs(side.subject);
  const result = await load.run({ baseUrl, requests, repeat, collect, connections, limitMs });
  scenario.after?.(side, result, requests);
  return { ...result, cpuMs: cpuMs(side.subject) - before };
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const one of counts) {
    for (const [key, count] of Object.entries(one)) total[key] = (total[key] ?? 0) + count;
  }
  return total;
}
