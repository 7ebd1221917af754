/**
 * The weights of all hosts for one request: raw scores per weigher, scaled to 0..1 over the candidates, multiplied
 * and summed. When hosts are removed, only the weights whose scale has changed are computed again.
 *
 *   scaled = (raw - least) / (most - least), 0 if all are equal;  weight = sum of multiplier * scaled
 */
import type { HostState } from './host-state.ts';
import type { RequestSpec } from './request-spec.ts';
import type { WeigherEntry } from './weighers/table.ts';

export interface Score {
  readonly weigher: string;
  readonly multiplier: number;
  readonly raw: number;
  readonly scaled: number;
}

/** Hosts are identified by their index in the list of the request. */
export interface Scoreboard {
  /** Weights by host; valid for candidates only. */
  readonly weights: Readonly<Float64Array>;
  scoresOf(host: number): Score[];
  /** Removes the hosts `gone`; `candidates` are the remaining ones, `spec` is the current request. */
  update(candidates: readonly number[], gone: readonly number[], spec: RequestSpec): void;
}

interface Column {
  readonly entry: WeigherEntry;
  readonly raw: Float64Array;
  least: number;
  most: number;
}

export function createScoreboard(
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
  weighers: readonly WeigherEntry[],
): Scoreboard {
  const weights = new Float64Array(hosts.length);
  const columns = weighers.map(
    (entry): Column => ({ entry, raw: new Float64Array(hosts.length), least: 0, most: 0 }),
  );

  for (const column of columns) {
    fill(column, hosts, candidates, spec);
    rescale(column, candidates);
  }
  sum(weights, columns, candidates);

  return {
    weights,
    scoresOf: (host) =>
      columns.map(({ entry, raw, least, most }) => ({
        weigher: entry.name,
        multiplier: entry.multiplier,
        raw: raw[host]!,
        scaled: most > least ? (raw[host]! - least) / (most - least) : 0,
      })),
    update(left, gone, now) {
      let isMoved = false;
      for (const column of columns) {
        const { entry, raw, least, most } = column;
        const isRefilled = entry.looksAtGroup === true && now.group?.policy.startsWith('soft-') === true;
        if (isRefilled) fill(column, hosts, left, now);
        // if all scores are equal, they are still equal after a removal
        const wasAtAnEnd = most > least && gone.some((host) => raw[host] === least || raw[host] === most);
        if (isRefilled || wasAtAnEnd) isMoved = rescale(column, left) || isRefilled || isMoved;
      }
      if (isMoved) sum(weights, columns, left);
    },
  };
}

function fill(
  column: Column,
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
): void {
  const { entry, raw } = column;
  for (const host of candidates) raw[host] = entry.weigher(hosts[host]!, spec);
}

/** Returns whether the scale has changed. */
function rescale(column: Column, candidates: readonly number[]): boolean {
  const { entry, raw } = column;
  let least = entry.scaleFrom ?? Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const host of candidates) {
    const score = raw[host]!;
    if (score < least) least = score;
    if (score > most) most = score;
  }
  const isMoved = least !== column.least || most !== column.most;
  column.least = least;
  column.most = most;
  return isMoved;
}

function sum(weights: Float64Array, columns: readonly Column[], candidates: readonly number[]): void {
  for (const host of candidates) weights[host] = 0;
  for (const { entry, raw, least, most } of columns) {
    if (most <= least) continue;
    const factor = entry.multiplier / (most - least);
    for (const host of candidates) weights[host]! += (raw[host]! - least) * factor;
  }
}
