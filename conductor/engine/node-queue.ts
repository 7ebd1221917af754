/**
 * Marks nodes due and looks at each once: verbs, heartbeats, sightings and timers all end here.
 *
 * A node woken while it is being looked at is looked at once more afterwards, so nothing that
 * happens in between is lost. The loop ends with `stop`, which waits for the looks under way.
 */
import { IngotError } from '../domain/errors.ts';
import type { Logger } from './deps.ts';

export interface NodeQueue {
  wake(nodeUuid: string): void;
  stop(): Promise<void>;
}

/** Retry after a fault that is not the node's own, e.g. a full disk. */
const FAULT_RETRY_MS = 10_000;
/** Node timers are capped at 2^31 ms; a far deadline is simply looked at earlier. */
const MAX_SLEEP_MS = 3_600_000;

export function createNodeQueue(deps: {
  /** Does what the node needs; answers when to look again. */
  readonly look: (nodeUuid: string) => Promise<Date | undefined>;
  readonly now: () => Date;
  readonly logger: Logger;
}): NodeQueue {
  const looking = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  let stopped = false;

  const sleep = (nodeUuid: string, ms: number): void => {
    clearTimeout(timers.get(nodeUuid));
    if (stopped) return;
    timers.set(
      nodeUuid,
      setTimeout(() => wake(nodeUuid), Math.min(Math.max(ms, 0), MAX_SLEEP_MS)),
    );
  };

  const look = async (nodeUuid: string): Promise<void> => {
    try {
      const next = await deps.look(nodeUuid);
      clearTimeout(timers.get(nodeUuid));
      timers.delete(nodeUuid);
      if (next !== undefined) sleep(nodeUuid, next.getTime() - deps.now().getTime());
    } catch (error) {
      if (stopped) return;
      const expected = error instanceof IngotError && error.family === 'busy';
      if (!expected)
        deps.logger.error({ err: error, node: nodeUuid }, 'looking at a node failed; trying again');
      sleep(nodeUuid, FAULT_RETRY_MS);
    }
  };

  function wake(nodeUuid: string): void {
    if (stopped) return;
    if (looking.has(nodeUuid)) {
      again.add(nodeUuid);
      return;
    }
    const done = look(nodeUuid).finally(() => {
      looking.delete(nodeUuid);
      if (again.delete(nodeUuid)) wake(nodeUuid);
    });
    looking.set(nodeUuid, done);
  }

  return {
    wake,
    async stop() {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(looking.values());
    },
  };
}
