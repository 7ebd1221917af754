/**
 * Stores the result of a selection: for each server its destination and alternates, or the end of its build, and the
 * scheduling report with the reasons.
 */
import { randomUUID } from 'node:crypto';
import type { BuildPlace, Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { explain, noValidHost, type Report } from '../scheduler/explain.ts';
import type { Destination, Outcome } from '../scheduler/select.ts';
import type { Plan } from '../scheduler/settings.ts';
import type { InstancesDeps } from './deps.ts';
import { faultOf, faultSaying } from './fault.ts';
import type { UnstoredServer } from './new-servers.ts';
import type { Reservations } from './reservations.ts';
import type { ServerRecords } from './server-records.ts';

/** Number of hosts in each list of a stored report; the counts include all hosts. */
const REPORTED_HOSTS = 100;

export interface Found {
  readonly outcome: Outcome;
  readonly plan: Plan;
}

/**
 * Stores the result for the servers of one request. An IngotError is the reason why the request itself is invalid.
 */
export type StoreOutcome = (
  requestId: string,
  servers: readonly Server[],
  found: Found | IngotError,
) => Promise<void>;

export function createSelectionOutcomes(
  deps: Pick<InstancesDeps, 'store' | 'networks' | 'now'> & {
    readonly records: ServerRecords;
    readonly reservations: Reservations;
  },
): StoreOutcome {
  const { store, networks, records, reservations, now } = deps;

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
    await networks.release(server);
    await records.end(server.uuid, 'scheduling', patch, { message, details: fault.details });
  }

  /** Removes the servers beyond the number of hosts found, when the request accepts fewer servers. */
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

  return async (requestId, servers, found) => {
    if (found instanceof IngotError) {
      await Promise.all(servers.map((server) => fail(server, faultOf(found, now(), 'scheduling'))));
      return;
    }
    const { outcome, plan } = found;
    await storeReport(requestId, servers, explain(outcome, plan, REPORTED_HOSTS));
    await Promise.all(servers.map((server) => settle(server, outcome, plan)));
  };
}

/** The scheduling report as the API shows it. */
export const reportOf = (outcome: Outcome, plan: Plan): JsonObject =>
  asJson(explain(outcome, plan, REPORTED_HOSTS));

const placeOf = ({ host, nodename }: Destination): BuildPlace => ({ host, nodename });

/** Plain data already; only its type is narrower. */
const asJson = (report: Report): JsonObject => report as unknown as { readonly [key: string]: Json };
