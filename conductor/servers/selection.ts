/**
 * Finds places for servers: one request at a time, so that each sees what the others before it have got, claimed
 * or not. What was found, and why, is stored; the servers then claim it by themselves.
 */
import { randomUUID } from 'node:crypto';
import type { BuildPlace, Image, Server, ServerGroup } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { explain, noValidHost, type Report } from '../scheduler/explain.ts';
import type { HostState } from '../scheduler/host-state.ts';
import { type Destination, type Outcome, select } from '../scheduler/select.ts';
import type { Plan } from '../scheduler/settings.ts';
import type { BuildFailures } from './build-failures.ts';
import type { InstancesDeps } from './deps.ts';
import { faultOf, faultSaying } from './fault.ts';
import type { UnstoredServer } from './new-servers.ts';
import { type Reservations, withReserved } from './reservations.ts';
import { placesFor, specFor } from './scheduling-request.ts';
import type { ServerRecords } from './server-records.ts';

const EVERYTHING = { limit: 100_000, sortKey: 'id', sortDir: 'asc' } as const;
/** Hosts in each list of a stored report: what is counted beyond them is still counted. */
const REPORTED_HOSTS = 100;

export interface Selection {
  /**
   * Gives each of these servers of one request its destination and alternates, or ends its build: without as
   * many places as the request must have, all of them. Resolves when that is stored.
   */
  place(serverUuids: readonly string[], requestId: string): Promise<void>;
  /** The same without consequences. Throws invalidParameter. */
  explain(servers: readonly UnstoredServer[]): Promise<JsonObject>;
}

interface Job {
  readonly serverUuids: readonly string[];
  readonly requestId: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Servers of one request, at least one, with what they name. */
interface Request<S extends UnstoredServer = UnstoredServer> {
  readonly servers: readonly S[];
  readonly image: Image | undefined;
  readonly group: ServerGroup | undefined;
  /** The others of the group. */
  readonly members: readonly Server[];
}

interface Found {
  readonly outcome: Outcome;
  readonly plan: Plan;
}

export function createSelection(
  deps: InstancesDeps & {
    readonly records: ServerRecords;
    readonly reservations: Reservations;
    readonly failures: BuildFailures;
  },
): Selection {
  const { store, driver, settings, records, reservations, failures, now } = deps;
  const random = deps.random ?? Math.random;
  let waiting: Job[] = [];
  let isAtWork = false;

  /** Whoever waits when the hosts are read is served from that reading, in the order of asking. */
  async function serveWaiting(): Promise<void> {
    if (isAtWork) return;
    isAtWork = true;
    try {
      while (waiting.length > 0) {
        const jobs = waiting;
        waiting = [];
        await serve(jobs).catch((error: unknown) => {
          for (const job of jobs) job.failed(error);
        });
      }
    } finally {
      isAtWork = false;
    }
  }

  async function serve(jobs: readonly Job[]): Promise<void> {
    // in this order: what is claimed meanwhile is reserved before, or stored after
    const before = reservations.all();
    const requests: (Request<Server> & { readonly job: Job })[] = [];
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
        conclude(
          job,
          request,
          attempt(() => choose(request, hosts, before)),
        ),
      ),
    );
  }

  async function stillToPlace(serverUuids: readonly string[]): Promise<Server[]> {
    const found = await Promise.all(serverUuids.map((uuid) => store.compute.servers.find(uuid)));
    return found.filter((server): server is Server => server?.taskState === 'scheduling');
  }

  async function namesOf(servers: readonly UnstoredServer[]): Promise<Omit<Request, 'servers'>> {
    const [{ serverGroupUuid, imageUuid }] = servers as [UnstoredServer];
    const image = imageUuid === null ? undefined : await store.compute.images.find(imageUuid);
    const group =
      serverGroupUuid === null ? undefined : await store.compute.serverGroups.find(serverGroupUuid);
    return { image, group, members: group === undefined ? [] : await membersOf(group, servers) };
  }

  /** Takes what it finds, at once. */
  function choose(request: Request, hosts: readonly HostState[], before: ReadonlyMap<string, string>): Found {
    const found = lookFor(request, hosts, before);
    for (const { instanceUuid, destination } of found.outcome.selections ?? []) {
      reservations.take(destination.nodename, instanceUuid);
    }
    return found;
  }

  function lookFor(
    { servers, image, group, members }: Request,
    all: readonly HostState[],
    before: ReadonlyMap<string, string>,
  ): Found {
    const reserved = new Map([...before, ...reservations.all()]);
    const states = failures.onHosts(withReserved(all, reserved));
    const spec = specFor(servers, { image, group, members: domainsOf(members, states, reserved) });
    const { hosts, plan } = placesFor(servers[0]!, states, settings.scheduler);
    return { outcome: select(hosts, spec, plan, random), plan };
  }

  async function conclude(job: Job, { servers }: Request<Server>, found: Found | IngotError): Promise<void> {
    if (found instanceof IngotError) {
      await Promise.all(servers.map((server) => fail(server, faultOf(found, now(), 'scheduling'))));
    } else {
      const { outcome, plan } = found;
      await storeReport(job.requestId, servers, explain(outcome, plan, REPORTED_HOSTS));
      await Promise.all(servers.map((server) => settle(server, outcome, plan)));
    }
    job.done();
  }

  async function membersOf(group: ServerGroup, asked: readonly UnstoredServer[]): Promise<Server[]> {
    const own = new Set(asked.map(({ uuid }) => uuid));
    const all = await store.compute.servers.list({ serverGroupUuid: group.uuid }, EVERYTHING);
    return all.filter(({ uuid, vmState }) => vmState !== 'deleted' && !own.has(uuid));
  }

  async function settle(server: Server, { selections, trace }: Outcome, plan: Plan): Promise<void> {
    if (selections === null) return fail(server, faultSaying(noValidHost(trace, plan).message, now()));
    const mine = selections.find(({ instanceUuid }) => instanceUuid === server.uuid);
    if (mine === undefined) return leaveOut(server, selections.length);
    const alternates = [mine.destination, ...mine.alternates].map(placeOf);
    const stored = await records.advance(server.uuid, 'scheduling', { alternates });
    if (stored === undefined) reservations.release(server.uuid);
  }

  async function fail(server: Server, fault: NonNullable<Server['fault']>): Promise<void> {
    const last = server.fault === null ? '' : ` The attempt before failed: ${server.fault.message}`;
    const message = `${fault.message}${last}`;
    const patch = { vmState: 'error', fault: { ...fault, message }, adminPass: null } as const;
    await deps.networks.release(server);
    await records.end(server.uuid, 'scheduling', patch, { message, details: fault.details });
  }

  /** The request can do with fewer servers, and these are the ones too many: they never were. */
  async function leaveOut(server: Server, count: number): Promise<void> {
    const message = `There was room for ${count} servers of the request, which asked for at least ${server.minCount}.`;
    const patch = { vmState: 'deleted', terminatedAt: now(), adminPass: null } as const;
    await records.end(server.uuid, 'scheduling', patch, { message, details: null });
  }

  async function storeReport(
    requestId: string,
    servers: readonly UnstoredServer[],
    report: Report,
  ): Promise<void> {
    const serverUuids = servers.map(({ uuid }) => uuid);
    const { projectId } = servers[0]!;
    const shortened = { ...report, removed: report.removed.slice(0, REPORTED_HOSTS) };
    await store.compute.schedulingReports.create(
      { uuid: randomUUID(), requestId, projectId, serverUuids, report: asJson(shortened) },
      now(),
    );
  }

  return {
    place(serverUuids, requestId) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ serverUuids, requestId, done: resolve, failed: reject });
      // never rejects: what goes wrong is told to those who wait
      void serveWaiting();
      return promise;
    },
    async explain(servers) {
      const before = reservations.all();
      const request = { servers, ...(await namesOf(servers)) };
      const { outcome, plan } = lookFor(request, await driver.resources(), before);
      return asJson(explain(outcome, plan, REPORTED_HOSTS));
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

const placeOf = ({ host, nodename }: Destination): BuildPlace => ({ host, nodename });

/** Plain data already; only its type is narrower. */
const asJson = (report: Report): JsonObject => report as unknown as { readonly [key: string]: Json };

/** Members are where their node is, or the one that is reserved for them. */
function domainsOf(
  members: readonly Server[],
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
