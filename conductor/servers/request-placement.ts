/**
 * Selects places for all servers of a request together; afterwards each server is built separately.
 */
import type { Server } from '../domain/compute.ts';
import { listAll } from '../domain/store/page.ts';
import type { BuildFailures } from './build-failures.ts';
import { requestIdOf } from './build-placement.ts';
import type { InstancesDeps } from './deps.ts';
import type { Selection } from './selection.ts';
import type { ServerWork } from './server-work.ts';

export interface RequestPlacement {
  place(uuids: readonly string[], requestId: string): void;
  /** Continues the work of an earlier conductor. A request without places is still scheduled as a whole. */
  takeUp(): Promise<void>;
  /** Resolves when no request is being placed. */
  settled(): Promise<void>;
}

export function createRequestPlacement(
  deps: Pick<InstancesDeps, 'store' | 'driver' | 'logger'> & {
    readonly selection: Selection;
    readonly failures: BuildFailures;
    readonly work: ServerWork;
    readonly signal: AbortSignal;
  },
): RequestPlacement {
  const { store, driver, logger, selection, failures, work, signal } = deps;
  const placing = new Set<Promise<void>>();

  function place(uuids: readonly string[], requestId: string): void {
    const placed = selection
      .place(uuids, requestId)
      .catch((error: unknown) => {
        if (!signal.aborted)
          logger.error({ err: error, requestId }, 'scheduling failed; each server tries by itself');
      })
      .then(() => {
        for (const uuid of uuids) work.wake(uuid);
      })
      .finally(() => placing.delete(placed));
    placing.add(placed);
  }

  async function takeUp(): Promise<void> {
    const all = await listAll(store.compute.servers, {});
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
      place(
        servers.map(({ uuid }) => uuid),
        await requestIdOf(store, servers[0]!),
      );
    }
    if (busy.length > 0) logger.info({ servers: busy.length }, 'unfinished work on servers goes on');
  }

  return {
    place,
    takeUp,
    async settled() {
      await Promise.all(placing);
    },
  };
}
