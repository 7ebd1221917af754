/**
 * The queue of nodes that need attention: verbs, heartbeats, sightings and timers all wake a node here.
 *
 * A node that is woken during its call of `look` gets one more call afterwards, so no event is lost. `stop` waits for
 * the running calls.
 */
import { IngotError } from '../domain/errors.ts';
import type { Logger } from './deps.ts';

export interface NodeQueue {
  wake(nodeUuid: string): void;
  stop(): Promise<void>;
}

/** Pause after an error that is not caused by the node, e.g. a full disk. */
const FAULT_RETRY_MS = 10_000;
/** Timers have a maximum of 2^31 ms, so a far deadline is checked earlier. */
const MAX_SLEEP_MS = 3_600_000;

export function createNodeQueue(deps: {
  /** Does what the node needs; returns when to call it again. */
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
