/**
 * Creates the parts of Instances: the verbs that store requests, and the workers that perform them.
 */

import type { Server } from '../domain/compute.ts';
import { createBuild } from './build.ts';
import { createBuildFailures } from './build-failures.ts';
import type { InstancesDeps } from './deps.ts';
import { openAction } from './instance-actions.ts';
import type { Instances } from './instances.ts';
import { newServers } from './new-servers.ts';
import { runPeriodically } from './periodic.ts';
import { syncPowerStates } from './power-state-sync.ts';
import { prune } from './pruning.ts';
import { createRequestPlacement } from './request-placement.ts';
import { createReservations } from './reservations.ts';
import { checkSchedulable } from './scheduling-request.ts';
import { createSelection } from './selection.ts';
import { createServerRecords } from './server-records.ts';
import { CREATE, isBuildTask } from './server-states.ts';
import { createServerTasks } from './server-tasks.ts';
import { createServerVerbs } from './server-verbs.ts';
import { createServerWork } from './server-work.ts';
import { reportServices } from './service-report.ts';

const POWER_SYNC_MS = 60_000;
const PRUNING_MS = 3_600_000;

export function createInstances(deps: InstancesDeps): Instances {
  const { store, driver, settings, logger, now } = deps;
  const records = createServerRecords(deps);
  const reservations = createReservations();
  const failures = createBuildFailures();
  const selection = createSelection({ ...deps, records, reservations, failures });
  const build = createBuild({ ...deps, records, reservations, selection, failures });
  const runTask = createServerTasks({ ...deps, records });
  const work = createServerWork({ store, step, logger });
  const background = new AbortController();
  const loops: Promise<void>[] = [];
  const placing = createRequestPlacement({ ...deps, selection, failures, work, signal: background.signal });

  async function step(server: Server, signal: AbortSignal): Promise<void> {
    const { taskState } = server;
    if (taskState === null) return;
    if (isBuildTask(taskState)) return build[taskState](server, signal);
    await runTask(server, taskState, signal);
  }

  return {
    async create(request) {
      const servers = newServers(request);
      checkSchedulable(servers);
      const stored = await store.transaction(async (tx) => {
        const created: Server[] = [];
        for (const server of servers) {
          created.push(await tx.compute.servers.create(server, now()));
          await openAction(tx, server, CREATE, request, now());
        }
        return created;
      });
      placing.place(
        stored.map(({ uuid }) => uuid),
        request.requestId,
      );
      return stored;
    },

    ...createServerVerbs({ ...deps, records, reservations, work }),
    explain: (request) => selection.explain(newServers(request)),

    async open() {
      await driver.init(settings.host);
      await reportServices(store, settings.host, now());
      await placing.takeUp();
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
      await Promise.all([...loops, placing.settled()]);
    },
  };
}
