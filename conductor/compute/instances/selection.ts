/**
 * Finds places for servers: one request at a time, so that each sees what the others before it have got, claimed
 * or not. What was found, and why, is stored; the servers then claim it by themselves.
 */
import { randomUUID } from 'node:crypto';
import type { BuildPlace, Server, ServerGroup } from '../../domain/compute.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { explain, noValidHost, type Report } from '../scheduler/explain.ts';
import type { HostState } from '../scheduler/host-state.ts';
import { type Destination, type Outcome, select } from '../scheduler/select.ts';
import type { Plan } from '../scheduler/settings.ts';
import type { BuildFailures } from './build-failures.ts';
import type { InstancesDeps } from './deps.ts';
import { faultOf, faultSaying } from './fault.ts';
import type { UnstoredServer } from './new-servers.ts';
import { type Reservations, withReserved } from './reservations.ts';
import { type Named, placesFor, specFor } from './scheduling-request.ts';
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

export function createSelection(
  deps: InstancesDeps & {
    readonly records: ServerRecords;
    readonly reservations: Reservations;
    readonly failures: BuildFailures;
  },
): Selection {
  const { store, driver, settings, records, reservations, failures, now } = deps;
  const random = deps.random ?? Math.random;
  let line: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = line.then(work);
    line = done.catch(() => undefined);
    return done;
  }

  async function place(serverUuids: readonly string[], requestId: string): Promise<void> {
    const servers = (await Promise.all(serverUuids.map((uuid) => store.compute.servers.find(uuid)))).filter(
      (server) => server?.taskState === 'scheduling',
    ) as Server[];
    const [first] = servers;
    if (first === undefined) return;
    let found: Awaited<ReturnType<typeof choose>>;
    try {
      found = await choose(servers, ({ selections }) => {
        for (const { instanceUuid, destination } of selections ?? []) {
          reservations.take(destination.nodename, instanceUuid);
        }
      });
    } catch (error) {
      await Promise.all(servers.map((server) => fail(server, faultOf(error, now(), 'scheduling'))));
      return;
    }
    const { outcome, plan } = found;
    await storeReport(requestId, first.projectId, servers, explain(outcome, plan, REPORTED_HOSTS));
    await Promise.all(servers.map((server) => settle(server, outcome, plan)));
  }

  /** `found` is called before anything else can be reserved. */
  async function choose(
    servers: readonly UnstoredServer[],
    found: (outcome: Outcome) => void = () => undefined,
  ): Promise<{ readonly outcome: Outcome; readonly plan: Plan }> {
    const [first] = servers as [UnstoredServer];
    const { serverGroupUuid, imageUuid } = first;
    const image = imageUuid === null ? undefined : await store.compute.images.find(imageUuid);
    // in this order: what is claimed meanwhile is reserved before, or stored after
    const before = reservations.all();
    const group =
      serverGroupUuid === null ? undefined : await store.compute.serverGroups.find(serverGroupUuid);
    const members = group === undefined ? [] : await membersOf(group, servers);
    const read = await driver.resources();
    const reserved = new Map([...before, ...reservations.all()]);
    const states = failures.onHosts(withReserved(read, reserved));
    const named: Named = { image, group, members: domainsOf(members, states, reserved) };
    const { hosts, plan } = placesFor(first, states, settings.scheduler);
    const outcome = select(hosts, specFor(servers, named), plan, random);
    found(outcome);
    return { outcome, plan };
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
    projectId: string,
    servers: readonly Server[],
    report: Report,
  ): Promise<void> {
    const serverUuids = servers.map(({ uuid }) => uuid);
    const shortened = { ...report, removed: report.removed.slice(0, REPORTED_HOSTS) };
    await store.compute.schedulingReports.create(
      { uuid: randomUUID(), requestId, projectId, serverUuids, report: asJson(shortened) },
      now(),
    );
  }

  return {
    place: (serverUuids, requestId) => inTurn(() => place(serverUuids, requestId)),
    async explain(servers) {
      const { outcome, plan } = await choose(servers);
      return asJson(explain(outcome, plan, REPORTED_HOSTS));
    },
  };
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
