/**
 * Explains a selection: which hosts each filter removed and why, the weights of the others, and the selected hosts.
 * If no host was found, makes the fault, which names the filter that removed most hosts and the nearest miss.
 */
import type { Removal } from './filtering.ts';
import { refusal } from './filters/filter.ts';
import type { FilterEntry } from './filters/table.ts';
import { type HostState, nameOf } from './host-state.ts';
import type { Score } from './scoreboard.ts';
import type { Outcome, Selection, Trace } from './select.ts';
import type { Plan } from './settings.ts';

export interface ReportedHost {
  readonly host: string;
  readonly nodename: string;
  readonly name: string | null;
}

export type ReportedRemoval = ReportedHost & { readonly filter: string; readonly reason: string };
export type ReportedWeight = ReportedHost & { readonly weight: number; readonly scores: readonly Score[] };

export interface Report {
  readonly hosts: number;
  readonly filters: readonly { readonly filter: string; readonly before: number; readonly removed: number }[];
  readonly removed: readonly ReportedRemoval[];
  /** Best first, with the weights for the first instance. */
  readonly weighed: readonly ReportedWeight[];
  readonly instances: readonly (ReportedWeight & {
    readonly instanceUuid: string;
    readonly candidates: number;
    readonly alternates: Selection['alternates'];
    /** Hosts that the remaining instances of the request can no longer use. */
    readonly removed: readonly ReportedRemoval[];
  })[];
  readonly fault: Fault | null;
}

/** The fault in the form that the API shows for a server. */
export interface Fault {
  readonly code: 500;
  readonly message: string;
}

/** @param limit largest number of hosts in each list of weights */
export function explain({ selections, trace }: Outcome, plan: Plan, limit: number): Report {
  return {
    hosts: trace.hosts.length,
    filters: trace.steps,
    removed: trace.removals().map(reportRemoval),
    weighed: trace
      .ranking(limit)
      .map((one) => ({ ...identity(one.host), weight: one.weight, scores: one.scores })),
    instances: trace.rounds.map((round, nth) => ({
      instanceUuid: round.instanceUuid,
      ...identity(round.chosen),
      candidates: round.candidates,
      weight: round.weight,
      scores: round.scores,
      alternates: selections?.[nth]?.alternates ?? [],
      removed: round.removals().map(reportRemoval),
    })),
    fault: selections === null ? noValidHost(trace, plan) : null,
  };
}

/** `No valid host was found. Of 12 hosts RamFilter removed most, 7. Nearest miss: ...` */
export function noValidHost(trace: Trace, plan: Plan): Fault {
  const parts = ['No valid host was found.'];
  const { hosts, spec, rounds } = trace;
  if (hosts.length === 0) parts.push('There are no hosts: no node is known to the compute service.');
  if (rounds.length > 0) {
    parts.push(`There are hosts for ${rounds.length} of ${spec.instanceUuids.length} instances.`);
  }
  const removals = [...trace.removals(), ...rounds.flatMap((round) => round.removals())];
  const [filter, count] = mostRemoving(removals);
  if (filter !== undefined)
    parts.push(
      `Of ${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'} ${filter} removed most, ${count}.`,
    );
  const miss = nearestMiss(trace, plan.filters);
  if (miss !== undefined) {
    const reasons = miss.refusals.map((one) => `${one.filter}: ${one.reason}`).join('; ');
    parts.push(`Nearest miss: ${nameOf(miss.host)}, refused by ${reasons}.`);
  }
  return { code: 500, message: parts.join(' ') };
}

function mostRemoving(removals: readonly Removal[]): [string | undefined, number] {
  const counts = new Map<string, number>();
  for (const { filter } of removals) counts.set(filter, (counts.get(filter) ?? 0) + 1);
  let most: [string | undefined, number] = [undefined, 0];
  for (const [filter, count] of counts) if (count > most[1]) most = [filter, count];
  return most;
}

/** The host that the fewest filters refuse when all filters run. A free host is preferred among equals. */
function nearestMiss(
  { hosts, removals, rounds, spec }: Trace,
  filters: readonly FilterEntry[],
): { host: HostState; refusals: readonly Removal[] } | undefined {
  const taken = new Set(rounds.map(({ chosen }) => chosen));
  const later = [...removals(), ...rounds.flatMap((round) => round.removals())];
  const recorded = new Map(later.map((removal) => [removal.host, removal]));
  let nearest: { host: HostState; refusals: readonly Removal[] } | undefined;
  for (const host of hosts) {
    const removal = recorded.get(host);
    if (removal === undefined || taken.has(host)) continue;
    const refusals = filters.flatMap(({ name, filter }): Removal[] => {
      const reason = refusal(filter, host, spec);
      return reason === undefined ? [] : [{ host, filter: name, reason }];
    });
    // the host was refused only because of other instances of this request: use the recorded removal
    const all = refusals.length === 0 ? [removal] : refusals;
    const isNearer =
      nearest === undefined ||
      all.length < nearest.refusals.length ||
      (all.length === nearest.refusals.length && isFree(host) && !isFree(nearest.host));
    if (isNearer) nearest = { host, refusals: all };
  }
  return nearest;
}

const isFree = (host: HostState): boolean => host.unusable === undefined;

const identity = ({ host, nodename, name }: HostState): ReportedHost => ({ host, nodename, name });

const reportRemoval = ({ host, filter, reason }: Removal): ReportedRemoval => ({
  ...identity(host),
  filter,
  reason,
});
