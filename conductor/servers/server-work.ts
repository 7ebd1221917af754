/**
 * One worker for each server with a task state. It reads the stored task state and does its work until there is none,
 * so that it continues after a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Logger } from '../domain/logger.ts';
import type { Store } from '../domain/store/store.ts';

/** Pause after an error that is not caused by the server, e.g. a full disk. */
const FAULT_RETRY_MS = 10_000;

export interface ServerWork {
  wake(serverUuid: string): void;
  /** Ends the running step, and begins the stored one. */
  interrupt(serverUuid: string): void;
  close(): Promise<void>;
}

export function createServerWork(deps: {
  readonly store: Pick<Store, 'compute'>;
  /** One step. Rejects only when the signal aborts, or when the failure itself could not be stored. */
  readonly step: (server: Server, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
}): ServerWork {
  const { store, step, logger } = deps;
  const closing = new AbortController();
  const workers = new Map<string, { done: Promise<void>; controller: AbortController; isWanted: boolean }>();

  async function run(uuid: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const server = await store.compute.servers.find(uuid);
        if (server === undefined || server.taskState === null) return;
        await step(server, signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error, server: uuid }, 'work on a server failed; trying again');
        await sleep(FAULT_RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  function wake(uuid: string): void {
    if (closing.signal.aborted) return;
    const busy = workers.get(uuid);
    if (busy !== undefined) {
      busy.isWanted = true;
      return;
    }
    const controller = new AbortController();
    const signal = AbortSignal.any([closing.signal, controller.signal]);
    const worker = { controller, isWanted: false, done: Promise.resolve() };
    workers.set(uuid, worker);
    worker.done = run(uuid, signal).finally(() => {
      workers.delete(uuid);
      if (worker.isWanted) wake(uuid);
    });
  }

  return {
    wake,
    interrupt(uuid) {
      workers
        .get(uuid)
        ?.controller.abort(new IngotError('aborted', `other work was asked of server ${uuid}`));
      wake(uuid);
    },
    async close() {
      closing.abort(new IngotError('interrupted', 'The conductor is shutting down.'));
      await Promise.all([...workers.values()].map(({ done }) => done));
    },
  };
}
