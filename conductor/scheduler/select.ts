/**
 * Selects hosts for the instances of one request, with alternates for each, and records a trace. Pure: nothing is
 * claimed, so dry runs use it, too. The build claims the host; if another server has claimed it first, the build uses
 * an alternate.
 */
import { withRoomForAll } from './affinity-room.ts';
import { best } from './best.ts';
import { type FilterStep, filterHosts, type Removal } from './filtering.ts';
import type { FilterEntry } from './filters/table.ts';
import { consume, type HostState } from './host-state.ts';
import { type RequestSpec, withMemberIn } from './request-spec.ts';
import { createScoreboard, type Score } from './scoreboard.ts';
import type { Plan } from './settings.ts';

export interface Destination {
  readonly host: string;
  readonly nodename: string;
  /** The resources of the whole machine. */
  readonly limits: { readonly vcpus: number; readonly memoryMb: number; readonly diskGb: number };
}

export interface Selection {
  readonly instanceUuid: string;
  readonly destination: Destination;
  /** Hosts to try when the build on the destination fails, best first. */
  readonly alternates: readonly Destination[];
}

export interface Round {
  readonly instanceUuid: string;
  /** Number of hosts that this instance could be placed on. */
  readonly candidates: number;
  readonly chosen: HostState;
  readonly weight: number;
  readonly scores: readonly Score[];
  /** Hosts that the next instance can not use because of this one, the chosen host included. */
  readonly removals: () => readonly Removal[];
}

export interface RankedHost {
  readonly host: HostState;
  readonly weight: number;
  readonly scores: readonly Score[];
}

export interface Trace {
  readonly hosts: readonly HostState[];
  readonly spec: RequestSpec;
  readonly steps: readonly FilterStep[];
  /** Hosts that the filters removed before the first instance was placed. */
  readonly removals: () => readonly Removal[];
  readonly rounds: readonly Round[];
  /** The hosts that passed, best first, with the weights for the first instance. */
  readonly ranking: (limit: number) => readonly RankedHost[];
}

export interface Outcome {
  /** Null if fewer hosts were found than the request needs. */
  readonly selections: readonly Selection[] | null;
  readonly trace: Trace;
}

const MB_PER_GB = 1024;

export function select(
  hosts: readonly HostState[],
  request: RequestSpec,
  plan: Plan,
  random: () => number,
): Outcome {
  const filtered = filterHosts(hosts, indexesOf(hosts), request, plan.filters);
  // from here on a host's index is its position among the hosts that passed
  const field = filtered.passed.map((index) => hosts[index]!);
  const places = indexesOf(field);
  const roomy = withRoomForAll(field, places, request);
  const scoreboard = createScoreboard(field, roomy.passed, request, plan.weighers);
  const groupFilters = groupFiltersFor(request, plan);

  const rounds: Round[] = [];
  const chosen: number[] = [];
  let candidates = roomy.passed;
  let spec = request;
  for (const instanceUuid of request.instanceUuids) {
    if (candidates.length === 0) break;
    const index = pick(candidates, scoreboard.weights, plan, random);
    const host = field[index]!;
    spec = withMemberIn(spec, host.domain);
    const taken = { host, filter: 'Inventory', reason: consume(host, instanceUuid).unusable! };
    const others = candidates.filter((other) => other !== index);
    const next = groupFilters.length === 0 ? undefined : filterHosts(field, others, spec, groupFilters);
    rounds.push({
      instanceUuid,
      candidates: candidates.length,
      chosen: host,
      weight: scoreboard.weights[index]!,
      scores: scoreboard.scoresOf(index),
      removals: () => [taken, ...(next?.removals() ?? [])],
    });
    chosen.push(index);
    const gone = next === undefined ? [index] : without(candidates, next.passed);
    candidates = next?.passed ?? others;
    scoreboard.update(candidates, gone, spec);
  }

  const trace: Trace = {
    hosts,
    spec: request,
    steps: filtered.steps,
    removals: () => [...filtered.removals(), ...roomy.removals],
    rounds,
    ranking: (limit) => ranking(field, roomy.passed, request, plan, limit),
  };
  if (rounds.length < request.minCount) return { selections: null, trace };
  const alternates = alternatesOf(field, places, chosen, request, plan, scoreboard.weights);
  const selections = rounds.map(({ instanceUuid, chosen: host }, nth) => ({
    instanceUuid,
    destination: destinationOf(host),
    alternates: alternates[nth]!.map((index) => destinationOf(field[index]!)),
  }));
  return { selections, trace };
}

function indexesOf(list: readonly unknown[]): number[] {
  const indexes = new Array<number>(list.length);
  for (let index = 0; index < indexes.length; index++) indexes[index] = index;
  return indexes;
}

/**
 * The filters whose result for an instance depends on the hosts of the previous instances. There are none for soft
 * policies, which refuse no host.
 */
function groupFiltersFor({ group }: RequestSpec, plan: Plan): FilterEntry[] {
  const isBinding = group?.policy === 'affinity' || group?.policy === 'anti-affinity';
  return isBinding ? plan.filters.filter(({ looksAtGroup }) => looksAtGroup) : [];
}

/** The elements of `all` that are not in `some`; both are in ascending order. */
function without(all: readonly number[], some: readonly number[]): number[] {
  let next = 0;
  return all.filter((index) => {
    if (some[next] !== index) return true;
    next++;
    return false;
  });
}

function destinationOf({ host, nodename, vcpus, ramMb, diskMb }: HostState): Destination {
  return { host, nodename, limits: { vcpus, memoryMb: ramMb, diskGb: diskMb / MB_PER_GB } };
}

/** Picks one of the best hosts; the plan has the number of hosts to pick from. */
function pick(
  candidates: readonly number[],
  weights: Readonly<Float64Array>,
  plan: Plan,
  random: () => number,
): number {
  let pool = best(candidates, weights, Math.max(1, plan.hostSubsetSize));
  if (plan.shuffleBestSameWeighedHosts) {
    const equals = candidates.filter((index) => weights[index] === weights[pool[0]!]);
    if (equals.length > pool.length) pool = equals;
  }
  return pool.length === 1 ? pool[0]! : pool[Math.floor(random() * pool.length)]!;
}

function ranking(
  hosts: readonly HostState[],
  candidates: readonly number[],
  spec: RequestSpec,
  plan: Plan,
  limit: number,
): RankedHost[] {
  const scoreboard = createScoreboard(hosts, candidates, spec, plan.weighers);
  return best(candidates, scoreboard.weights, limit).map((index) => ({
    host: hosts[index]!,
    weight: scoreboard.weights[index]!,
    scores: scoreboard.scoresOf(index),
  }));
}

/**
 * The alternates of each instance. An alternate passes the group filters with all other instances on their chosen
 * hosts. Every instance gets its first alternate before any gets a second, and two instances share an alternate only
 * if there are too few.
 */
function alternatesOf(
  hosts: readonly HostState[],
  passed: readonly number[],
  chosen: readonly number[],
  request: RequestSpec,
  plan: Plan,
  weightsNow: Readonly<Float64Array>,
): number[][] {
  const each = plan.maxAttempts - 1;
  const taken = new Set(chosen);
  const left = passed.filter((index) => !taken.has(index));
  const groupFilters = groupFiltersFor(request, plan);
  const placed = chosen.reduce((spec, index) => withMemberIn(spec, hosts[index]!.domain), request);
  // the scoreboard may lack hosts that were removed for the group and can be alternates
  const weights =
    groupFilters.length === 0 ? weightsNow : createScoreboard(hosts, left, placed, plan.weighers).weights;
  const rank = (candidates: readonly number[]) => best(candidates, weights, each * chosen.length);
  const common = groupFilters.length === 0 ? rank(left) : undefined;
  const suitable = chosen.map((own) => {
    if (common !== undefined) return common;
    const others = chosen
      .filter((index) => index !== own)
      .reduce((spec, index) => withMemberIn(spec, hosts[index]!.domain), request);
    return rank(filterHosts(hosts, left, others, groupFilters).passed);
  });

  const dealt = chosen.map((): number[] => []);
  const used = new Set<number>();
  for (let turn = 0; turn < each; turn++) {
    for (const [nth, mine] of dealt.entries()) {
      const free = suitable[nth]!.filter((index) => !mine.includes(index));
      const next = free.find((index) => !used.has(index)) ?? free[0];
      if (next === undefined) continue;
      mine.push(next);
      used.add(next);
    }
  }
  return dealt;
}
