/**
 * Short work on a node and on what belongs to it, under the node's lock.
 */
import type { Node } from '../domain/node.ts';
import type { EngineParts } from './parts.ts';

const SHORT_WORK_MS = 60_000;

/** Runs `work` with the node as it is when its turn comes. Throws notFound, nodeLocked after the queue time. */
export type NodeHold = <T>(uuid: string, purpose: string, work: (node: Node) => Promise<T>) => Promise<T>;

export function createNodeHold({
  store,
  locks,
  settings,
}: Pick<EngineParts, 'store' | 'locks' | 'settings'>): NodeHold {
  return (uuid, purpose, work) => {
    const hold = { purpose, deadlineMs: SHORT_WORK_MS, queueMs: settings.lockQueueMs };
    // It may see what is not on disk yet: the release of the lock is a write that follows.
    return locks.hold(uuid, hold, async () => work(await store.nodes.peek(uuid)));
  };
}
