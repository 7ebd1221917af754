/**
 * Makes the scheduler's request from the servers of one request. Pure.
 */
import type { Image, Server, ServerGroup } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { HostState } from '../scheduler/host-state.ts';
import {
  type InstanceRequest,
  parseRequest,
  type RequestSpec,
  type SchedulerHints,
} from '../scheduler/request-spec.ts';
import { type Plan, planOf, type SchedulerSettings } from '../scheduler/settings.ts';
import type { UnstoredServer } from './new-servers.ts';

/** Servers of one request, at least one, with the current image and group that they name. */
export interface SchedulingRequest<S extends UnstoredServer = UnstoredServer> {
  readonly servers: readonly S[];
  readonly image: Image | undefined;
  readonly group: ServerGroup | undefined;
  /** The other servers of the group. */
  readonly members: readonly Pick<Server, 'uuid' | 'nodeUuid'>[];
}

/** Throws invalidParameter for a request that has no meaning on any host, such as an unknown value of an extra spec. */
export function checkSchedulable(servers: readonly UnstoredServer[]): void {
  specFor({ servers, image: undefined, group: undefined, members: [] }, [], new Map());
}

/** @param reserved node UUID -> server UUID. Throws as checkSchedulable does. */
export function specFor(
  { servers, image, group, members }: SchedulingRequest,
  hosts: readonly HostState[],
  reserved: ReadonlyMap<string, string>,
): RequestSpec {
  const [first] = servers;
  if (first === undefined) throw new Error('no servers to schedule');
  const request: InstanceRequest = {
    instanceUuids: servers.map(({ uuid }) => uuid),
    // some of the request may have been built already
    minCount: Math.min(first.minCount, servers.length),
    flavor: first.flavor,
    hints: hintsOf(first.schedulerHints),
    tried: first.tried,
    ...(image === undefined ? {} : { image }),
    ...(first.availabilityZone === null ? {} : { availabilityZone: first.availabilityZone }),
    ...(group === undefined ? {} : { group: { ...group, members: domainsOf(members, hosts, reserved) } }),
  };
  const parsed = parseRequest(request);
  if (!parsed.ok)
    throw new IngotError('invalidParameter', `The request can not be scheduled: ${parsed.reason}.`);
  return parsed.value;
}

/**
 * The hosts and the plan of a selection. If an administrator named the place, only its hosts are looked at, and they
 * must only be free, as in Nova.
 */
export function placesFor(
  { forcedPlace }: Pick<UnstoredServer, 'forcedPlace'>,
  hosts: readonly HostState[],
  settings: SchedulerSettings,
): { readonly hosts: readonly HostState[]; readonly plan: Plan } {
  const plan = planOf(settings);
  if (forcedPlace === null) return { hosts, plan };
  const { host, nodename } = forcedPlace;
  return {
    hosts: hosts.filter(
      (one) =>
        (host === null || one.host === host) &&
        (nodename === null || one.nodename === nodename || one.name === nodename),
    ),
    plan: { ...plan, filters: planOf({ ...settings, enabledFilters: ['RetryFilter'] }).filters },
  };
}

function hintsOf(hints: JsonObject): SchedulerHints {
  const uuids = (value: unknown): string[] | undefined => {
    const list = typeof value === 'string' ? [value] : value;
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : undefined;
  };
  const { same_host: same, different_host: different, query } = hints;
  const text = query === undefined || typeof query === 'string' ? query : JSON.stringify(query);
  const [sameHost, differentHost] = [uuids(same), uuids(different)];
  return {
    ...(sameHost === undefined ? {} : { sameHost }),
    ...(differentHost === undefined ? {} : { differentHost }),
    ...(text === undefined ? {} : { query: text }),
  };
}

/** Failure domain -> number of members. A member is at its node, or at the node reserved for it. */
function domainsOf(
  members: SchedulingRequest['members'],
  hosts: readonly HostState[],
  reserved: ReadonlyMap<string, string>,
): Map<string, number> {
  const uuids = new Set(members.map(({ uuid }) => uuid));
  const nodes = new Set(members.flatMap(({ nodeUuid }) => (nodeUuid === null ? [] : [nodeUuid])));
  for (const [nodeUuid, serverUuid] of reserved) if (uuids.has(serverUuid)) nodes.add(nodeUuid);
  const counts = new Map<string, number>();
  for (const { nodename, domain } of hosts) {
    if (nodes.has(nodename)) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}
