/**
 * Servers of one request as the scheduler wants them asked for. Pure.
 */
import type { Image, ServerGroup } from '../domain/compute.ts';
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

/** What the request names, as it is now. */
export interface Named {
  readonly image: Image | undefined;
  readonly group: ServerGroup | undefined;
  /** Failure domain -> members of the group there, without those that are asked for. */
  readonly members: ReadonlyMap<string, number>;
}

/** @param servers of one request, at least one. Throws invalidParameter naming what has no meaning. */
export function specFor(servers: readonly UnstoredServer[], { image, group, members }: Named): RequestSpec {
  const [first] = servers;
  if (first === undefined) throw new Error('no servers to schedule');
  // some of the request may have been built already
  const minCount = Math.min(first.minCount, servers.length);
  const request: InstanceRequest = {
    instanceUuids: servers.map(({ uuid }) => uuid),
    minCount,
    flavor: first.flavor,
    hints: hintsOf(first.schedulerHints),
    tried: first.tried,
    ...(image === undefined ? {} : { image: { id: image.uuid, properties: image.properties } }),
    ...(first.availabilityZone === null ? {} : { availabilityZone: first.availabilityZone }),
    ...(group === undefined
      ? {}
      : { group: { policy: group.policy, maxServerPerHost: group.maxServerPerHost, members } }),
  };
  const parsed = parseRequest(request);
  if (!parsed.ok)
    throw new IngotError('invalidParameter', `The request can not be scheduled: ${parsed.reason}.`);
  return parsed.value;
}

/** An administrator who says where is asked nothing else: the machine must only be free, as in Nova. */
export function placesFor(
  { forcedPlace }: UnstoredServer,
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
