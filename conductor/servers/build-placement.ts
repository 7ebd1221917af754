/**
 * The first step of a build: claims a node for the server, gives back the node of an attempt that failed, or ends the
 * build in error.
 */
import type { BuildPlace, Server } from '../domain/compute.ts';
import type { Store } from '../domain/store/store.ts';
import type { BuildFailures } from './build-failures.ts';
import type { InstancesDeps } from './deps.ts';
import { faultOf, faultSaying } from './fault.ts';
import type { Reservations } from './reservations.ts';
import type { Selection } from './selection.ts';
import type { ServerRecords } from './server-records.ts';
import { type BuildTask, CREATE } from './server-states.ts';

export interface BuildPlacementDeps extends InstancesDeps {
  readonly records: ServerRecords;
  readonly reservations: Reservations;
  readonly selection: Selection;
  readonly failures: BuildFailures;
}

export interface BuildPlacement {
  schedule(server: Server, signal: AbortSignal): Promise<void>;
  /** Stores that the build failed at `place`, so that the next step gives the node back and takes another one. */
  attemptFailed(
    server: Server,
    task: BuildTask,
    place: BuildPlace,
    fault: NonNullable<Server['fault']>,
  ): Promise<void>;
}

export function createBuildPlacement(deps: BuildPlacementDeps): BuildPlacement {
  const { store, driver, networks, settings, records, reservations, selection, logger, now } = deps;
  const { maxAttempts } = settings.scheduler;

  async function schedule(server: Server, signal: AbortSignal): Promise<void> {
    const held = await driver.nodeOf(server.uuid);
    if (held !== undefined) {
      if (server.vmState === 'building' && !hasTried(server, held)) return settle(server, held);
      return giveBack(server, signal);
    }
    if (server.vmState === 'error') return endInError(server, server.fault);
    if (server.nodeUuid !== null) {
      // given back before the conductor ended
      await records.advance(server.uuid, 'scheduling', { host: null, nodeUuid: null });
      return;
    }
    if (server.tried.length >= maxAttempts) return endInError(server, exhausted(server));
    const next = server.alternates[0];
    if (next === undefined) return selection.place([server.uuid], await requestIdOf(store, server));
    await take(server, next);
  }

  /** Claims the first alternate, or removes it from the list. */
  async function take(server: Server, place: BuildPlace): Promise<void> {
    const { uuid } = server;
    try {
      // alternates of a server in a group are not used: they may no longer satisfy the group's policy
      const isGrouped = server.serverGroupUuid !== null;
      const isOurs = isGrouped
        ? reservations.has(place.nodename, uuid)
        : reservations.take(place.nodename, uuid);
      if (!isOurs) {
        await records.advance(uuid, 'scheduling', {
          alternates: isGrouped ? [] : server.alternates.slice(1),
        });
        return;
      }
      if (await driver.claim(server, place.nodename)) return await settle(server, place.nodename);
      const message = `Node ${place.nodename} was taken by somebody else.`;
      await attemptFailed(server, 'scheduling', place, faultSaying(message, now()));
    } finally {
      reservations.release(uuid);
    }
  }

  /** Stores in the server the node whose instance_uuid already names the server. */
  async function settle({ uuid, alternates }: Server, nodeUuid: string): Promise<void> {
    await records.advance(uuid, 'scheduling', {
      host: alternates.find(({ nodename }) => nodename === nodeUuid)?.host ?? settings.host,
      nodeUuid,
      alternates: alternates.filter(({ nodename }) => nodename !== nodeUuid),
      taskState: 'networking',
    });
  }

  async function giveBack(server: Server, signal: AbortSignal): Promise<void> {
    try {
      await networks.unbind(server);
      await driver.destroy(server, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { message, details } = faultOf(error, now(), 'giving its node back');
      const cause = server.fault?.message ?? 'The build failed.';
      const text = `Node ${server.nodeUuid} could not be given back: ${message}${/[.!?]$/.test(message) ? '' : '.'} That was to be done because: ${cause}`;
      await endInError(server, faultSaying(text, now(), details));
      return;
    }
    await records.advance(server.uuid, 'scheduling', { host: null, nodeUuid: null });
  }

  async function endInError(server: Server, fault: Server['fault']): Promise<void> {
    await networks.release(server);
    const { message, details } = fault ?? faultSaying('The build failed.', now());
    const patch = { vmState: 'error', fault, alternates: [], adminPass: null } as const;
    await records.end(server.uuid, 'scheduling', patch, { message, details });
    logger.warn({ server: server.uuid, reason: message }, 'a server could not be built');
  }

  async function attemptFailed(
    server: Server,
    task: BuildTask,
    place: BuildPlace,
    fault: NonNullable<Server['fault']>,
  ): Promise<void> {
    const patch = {
      taskState: 'scheduling',
      tried: [...server.tried, place],
      alternates: server.alternates.filter(({ nodename }) => nodename !== place.nodename),
      fault,
    } as const;
    logger.warn(
      { server: server.uuid, node: place.nodename, reason: fault.message },
      'building failed there',
    );
    await records.retry(server.uuid, task, patch, { message: fault.message, details: fault.details });
  }

  return { schedule, attemptFailed };

  function exhausted(server: Server): NonNullable<Server['fault']> {
    const last = server.fault;
    const message = `No valid host was found. Exceeded max scheduling attempts ${maxAttempts} for instance ${server.uuid}. Last: ${last?.message ?? 'unknown'}`;
    return faultSaying(message, now(), last?.details ?? null);
  }
}

/** The id of the request that created the server. */
export async function requestIdOf({ compute }: Store, { uuid, reservationId }: Server): Promise<string> {
  const first = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;
  const [created] = await compute.instanceActions.list({ serverUuid: uuid, action: CREATE.action }, first);
  return created?.requestId ?? reservationId;
}

const hasTried = ({ tried }: Server, nodeUuid: string): boolean =>
  tried.some(({ nodename }) => nodename === nodeUuid);
