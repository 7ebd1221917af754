/**
 * Selects places for servers. Requests run one at a time, so that each sees the places of earlier ones, claimed or
 * not. Result and reasons are stored; then each server claims its place.
 */
import type { Server, ServerGroup } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { listAll } from '../domain/store/page.ts';
import type { HostState } from '../scheduler/host-state.ts';
import { select } from '../scheduler/select.ts';
import { createBatchQueue, type Queued } from './batch-queue.ts';
import type { BuildFailures } from './build-failures.ts';
import type { InstancesDeps } from './deps.ts';
import type { UnstoredServer } from './new-servers.ts';
import { type Reservations, withReserved } from './reservations.ts';
import { placesFor, type SchedulingRequest, specFor } from './scheduling-request.ts';
import { createSelectionOutcomes, type Found, reportOf } from './selection-outcome.ts';
import type { ServerRecords } from './server-records.ts';

export interface Selection {
  /**
   * Gives each of these servers of one request its destination and alternates, or ends its build. With fewer places
   * than the minimum of the request, all builds end. Resolves when the result is stored.
   */
  place(serverUuids: readonly string[], requestId: string): Promise<void>;
  /** The same selection without storing or reserving anything. Throws invalidParameter. */
  explain(servers: readonly UnstoredServer[]): Promise<JsonObject>;
}

interface Job {
  readonly serverUuids: readonly string[];
  readonly requestId: string;
}

export function createSelection(
  deps: InstancesDeps & {
    readonly records: ServerRecords;
    readonly reservations: Reservations;
    readonly failures: BuildFailures;
  },
): Selection {
  const { store, driver, settings, reservations, failures } = deps;
  const random = deps.random ?? Math.random;
  const storeOutcome = createSelectionOutcomes(deps);
  const queue = createBatchQueue(serve);

  async function serve(jobs: readonly Queued<Job>[]): Promise<void> {
    // in this order: what is claimed meanwhile is reserved before, or stored after
    const before = reservations.all();
    const requests: (SchedulingRequest<Server> & { readonly job: Queued<Job> })[] = [];
    for (const job of jobs) {
      const servers = await stillToPlace(job.serverUuids);
      if (servers.length === 0) job.done();
      else requests.push({ job, servers, ...(await namesOf(servers)) });
    }
    if (requests.length === 0) return;
    const hosts = await driver.resources();
    await Promise.all(
      // each choice is made and reserved before the next one is looked at, and nothing else runs in between
      requests.map(({ job, ...request }) =>
        storeOutcome(
          job.requestId,
          request.servers,
          attempt(() => choose(request, hosts, before)),
        ).then(job.done),
      ),
    );
  }

  async function stillToPlace(serverUuids: readonly string[]): Promise<Server[]> {
    const found = await Promise.all(serverUuids.map((uuid) => store.compute.servers.find(uuid)));
    return found.filter((server): server is Server => server?.taskState === 'scheduling');
  }

  async function namesOf(servers: readonly UnstoredServer[]): Promise<Omit<SchedulingRequest, 'servers'>> {
    const [{ serverGroupUuid, imageUuid }] = servers as [UnstoredServer];
    const image = imageUuid === null ? undefined : await store.compute.images.find(imageUuid);
    const group =
      serverGroupUuid === null ? undefined : await store.compute.serverGroups.find(serverGroupUuid);
    return { image, group, members: group === undefined ? [] : await membersOf(group, servers) };
  }

  /** Takes what it finds, at once. */
  function choose(
    request: SchedulingRequest,
    hosts: readonly HostState[],
    before: ReadonlyMap<string, string>,
  ): Found {
    const found = lookFor(request, hosts, before);
    for (const { instanceUuid, destination } of found.outcome.selections ?? []) {
      reservations.take(destination.nodename, instanceUuid);
    }
    return found;
  }

  function lookFor(
    request: SchedulingRequest,
    all: readonly HostState[],
    before: ReadonlyMap<string, string>,
  ): Found {
    const reserved = new Map([...before, ...reservations.all()]);
    const states = failures.onHosts(withReserved(all, reserved));
    const spec = specFor(request, states, reserved);
    const { hosts, plan } = placesFor(request.servers[0]!, states, settings.scheduler);
    return { outcome: select(hosts, spec, plan, random), plan };
  }

  async function membersOf(group: ServerGroup, asked: readonly UnstoredServer[]): Promise<Server[]> {
    const own = new Set(asked.map(({ uuid }) => uuid));
    const all = await listAll(store.compute.servers, { serverGroupUuid: group.uuid });
    return all.filter(({ uuid, vmState }) => vmState !== 'deleted' && !own.has(uuid));
  }

  return {
    place: (serverUuids, requestId) => queue.add({ serverUuids, requestId }),
    async explain(servers) {
      const before = reservations.all();
      const request = { servers, ...(await namesOf(servers)) };
      const { outcome, plan } = lookFor(request, await driver.resources(), before);
      return reportOf(outcome, plan);
    },
  };
}

/** What the request asks for that has no meaning, as a value. */
function attempt(work: () => Found): Found | IngotError {
  try {
    return work();
  } catch (error) {
    if (error instanceof IngotError) return error;
    throw error;
  }
}
