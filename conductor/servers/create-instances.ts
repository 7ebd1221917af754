/**
 * Puts the life of servers together: the verbs that store what is asked, and the workers that do it.
 */

import type { Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { RecordPatch } from '../domain/resources.ts';
import { createBuild, requestIdOf } from './build.ts';
import { createBuildFailures } from './build-failures.ts';
import type { InstancesDeps } from './deps.ts';
import { faultOf } from './fault.ts';
import { openAction } from './instance-actions.ts';
import type { Asking, Instances, RebuildRequest, ServerRequest } from './instances.ts';
import { newServers } from './new-servers.ts';
import { runPeriodically } from './periodic.ts';
import { syncPowerStates } from './power-state-sync.ts';
import { prune } from './pruning.ts';
import { createReservations } from './reservations.ts';
import { specFor } from './scheduling-request.ts';
import { createSelection } from './selection.ts';
import { createServerRecords } from './server-records.ts';
import { CREATE, isBuildTask, type ServerVerb } from './server-states.ts';
import { createServerTasks } from './server-tasks.ts';
import { createServerWork } from './server-work.ts';
import { reportServices } from './service-report.ts';

const EVERYTHING = { limit: 100_000, sortKey: 'id', sortDir: 'asc' } as const;
const POWER_SYNC_MS = 60_000;
const PRUNING_MS = 3_600_000;

export function createInstances(deps: InstancesDeps): Instances {
  const { store, driver, networks, settings, logger, now } = deps;
  const records = createServerRecords(deps);
  const reservations = createReservations();
  const failures = createBuildFailures();
  const selection = createSelection({ ...deps, records, reservations, failures });
  const build = createBuild({ ...deps, records, reservations, selection, failures });
  const runTask = createServerTasks({ ...deps, records });
  const work = createServerWork({ store, step, logger });
  const background = new AbortController();
  const loops: Promise<void>[] = [];
  const placing = new Set<Promise<void>>();

  async function step(server: Server, signal: AbortSignal): Promise<void> {
    const { taskState } = server;
    if (taskState === null) return;
    if (isBuildTask(taskState)) return build[taskState](server, signal);
    await runTask(server, taskState, signal);
  }

  /** All servers of a request are given their places together, then each is built by itself. */
  function placeTogether(uuids: readonly string[], requestId: string): void {
    const placed = selection
      .place(uuids, requestId)
      .catch((error: unknown) => {
        if (!background.signal.aborted)
          logger.error({ err: error, requestId }, 'scheduling failed; each server tries by itself');
      })
      .then(() => {
        for (const uuid of uuids) work.wake(uuid);
      })
      .finally(() => placing.delete(placed));
    placing.add(placed);
  }

  async function begin(
    verb: ServerVerb,
    { uuid }: Server,
    by: Asking,
    patch: RecordPatch<Server> = {},
  ): Promise<Server> {
    const server = await records.begin(verb, uuid, by, patch);
    // it is selected for nothing any more
    reservations.release(uuid);
    work.interrupt(uuid);
    return server;
  }

  /** Verbs that are done before they are answered. */
  async function atOnce<T>(
    verb: ServerVerb,
    { uuid }: Server,
    by: Asking,
    run: (server: Server) => Promise<T>,
  ): Promise<T> {
    const server = await records.begin(verb, uuid, by);
    try {
      const result = await run(server);
      await records.close(uuid, null);
      return result;
    } catch (error) {
      await records.close(uuid, faultOf(error, now(), verb));
      throw error;
    }
  }

  return {
    async create(request) {
      const servers = newServers(request);
      const nothing = { image: undefined, group: undefined, members: new Map<string, number>() };
      specFor(servers, nothing);
      await networks.check(request.networks, request.tenant, servers.length);
      const stored = await store.transaction(async (tx) => {
        const created: Server[] = [];
        for (const server of servers) {
          created.push(await tx.compute.servers.create(server, now()));
          await openAction(tx, server, CREATE, request, now());
        }
        return created;
      });
      placeTogether(
        stored.map(({ uuid }) => uuid),
        request.requestId,
      );
      return stored;
    },

    async delete(server, by) {
      await begin('delete', server, by);
    },
    reboot: (server, type, by) => begin(type === 'SOFT' ? 'softReboot' : 'hardReboot', server, by),
    stop: (server, by) => begin('stop', server, by),
    start: (server, by) => begin('start', server, by),
    rebuild: (server, request, by) => begin('rebuild', server, by, rebuilt(server, request)),
    async rescue(server, { adminPass, imageUuid }, by) {
      if (imageUuid !== null) {
        throw new IngotError(
          'unsupported',
          'A rescue image can not be chosen: a machine is rescued with the rescue ramdisk of its node.',
        );
      }
      return begin('rescue', server, by, { adminPass });
    },
    unrescue: (server, by) => begin('unrescue', server, by),
    lock: (server, lockedReason, by) =>
      records.begin('lock', server.uuid, by, { isLocked: true, lockedReason }),
    unlock: (server, by) => records.begin('unlock', server.uuid, by, { isLocked: false, lockedReason: null }),

    async resetState(server, vmState, by) {
      await records.close(server.uuid, { message: 'the state was reset meanwhile', details: null });
      return begin('resetState', server, by, { vmState, taskState: null });
    },

    attachInterface: (server, wanted, by) =>
      atOnce('attachInterface', server, by, async (fresh) => {
        const port = await networks.attach(fresh, wanted, by.tenant);
        await driver.attachInterface(fresh, port.uuid);
        return port;
      }),
    detachInterface: (server, portId, by) =>
      atOnce('detachInterface', server, by, async (fresh) => {
        await driver.detachInterface(fresh, portId);
        await networks.detach(fresh, portId);
      }),
    triggerCrashDump: (server, by) =>
      atOnce('triggerCrashDump', server, by, (fresh) => driver.injectNmi(fresh)),
    console: (server) => driver.console(server),
    consoleOutput: (server, lines) => driver.consoleOutput(server, lines),

    explain: (request: ServerRequest) => selection.explain(newServers(request)),

    async open() {
      await driver.init(settings.host);
      await reportServices(store, settings.host, now());
      await takeUp();
      const owner = { signal: background.signal, logger };
      loops.push(
        runPeriodically(
          'service report',
          settings.serviceReportMs,
          () => reportServices(store, settings.host, now()),
          owner,
        ),
        runPeriodically('power state sync', POWER_SYNC_MS, () => syncPowerStates(deps), owner),
        runPeriodically('pruning', PRUNING_MS, () => prune(store, now()), owner),
      );
    },

    async close() {
      background.abort();
      await work.close();
      await Promise.all([...loops, ...placing]);
    },
  };

  /** What an earlier conductor left. Requests that got no places yet are still scheduled as one. */
  async function takeUp(): Promise<void> {
    const all = await store.compute.servers.list({}, EVERYTHING);
    failures.readFrom(all);
    const busy = all.filter(({ taskState }) => taskState !== null);
    const requests = new Map<string, Server[]>();
    for (const server of busy) {
      const { taskState, vmState, reservationId, tried, alternates, uuid } = server;
      const isNew =
        taskState === 'scheduling' && vmState === 'building' && tried.length + alternates.length === 0;
      if (isNew && (await driver.nodeOf(uuid)) === undefined) {
        requests.set(reservationId, [...(requests.get(reservationId) ?? []), server]);
      } else {
        work.wake(uuid);
      }
    }
    for (const servers of requests.values()) {
      placeTogether(
        servers.map(({ uuid }) => uuid),
        await requestIdOf(store, servers[0]!),
      );
    }
    if (busy.length > 0) logger.info({ servers: busy.length }, 'unfinished work on servers goes on');
  }
}

function rebuilt(server: Server, request: RebuildRequest): RecordPatch<Server> {
  const { imageUuid, adminPass, name, metadata, description, userData, keypair, personality } = request;
  return {
    imageUuid,
    adminPass,
    preservesEphemeral: request.preserveEphemeral ?? false,
    accessIpv4: request.accessIpv4 ?? server.accessIpv4,
    accessIpv6: request.accessIpv6 ?? server.accessIpv6,
    name: name ?? server.name,
    metadata: metadata ?? server.metadata,
    description: description === undefined ? server.description : description,
    userData: userData === undefined ? server.userData : userData,
    ...(keypair === undefined
      ? {}
      : { keyName: keypair?.name ?? null, publicKey: keypair?.publicKey ?? null }),
    personality: personality ?? server.personality,
  };
}
