/**
 * Short work under a node's lock, on the node or resources that belong to it.
 */
import type { Node } from '../domain/node.ts';
import type { EngineParts } from './parts.ts';

const SHORT_WORK_MS = 60_000;

/** Runs `work` with the current node when its turn comes. Throws notFound, nodeLocked after the queue time. */
export type NodeHold = <T>(uuid: string, purpose: string, work: (node: Node) => Promise<T>) => Promise<T>;

export function createNodeHold({
  store,
  locks,
  settings,
}: Pick<EngineParts, 'store' | 'locks' | 'settings'>): NodeHold {
  return (uuid, purpose, work) => {
    const hold = { purpose, deadlineMs: SHORT_WORK_MS, queueMs: settings.lockQueueMs };
    // `work` may see what is not on disk yet, because the release of the lock is a write that follows.
    return locks.hold(uuid, hold, async () => work(await store.nodes.peek(uuid)));
  };
}
