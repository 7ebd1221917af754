/**
 * Locks on nodes: one exclusive holder with owner, purpose and deadline.
 *
 * Callers queue first come, first served, so background work never makes a user's call fail; a user's call fails with
 * 409 after the queue time. The signal of a holder aborts at its deadline, and the node is free one second later even
 * if the holder does not react. The lock is stored as the node's reservation before the work begins, for operators
 * and other conductors.
 */
import { IngotError, notFound } from '../domain/errors.ts';
import type { Holder } from '../domain/node.ts';
import type { NodeStore } from '../domain/store/nodes.ts';

export interface HoldRequest {
  readonly purpose: string;
  /** How long the work may lock the node. */
  readonly deadlineMs: number;
  /** How long to wait for the lock: 0 does not wait, Infinity waits for its turn. */
  readonly queueMs: number;
}

export interface NodeLocks {
  /**
   * Runs `work` alone on the node. Throws IngotError('nodeLocked') when its turn does not come in time, and
   * IngotError('notFound') when the node was deleted before its turn came.
   */
  hold<T>(nodeUuid: string, request: HoldRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all holders and waits until they have ended. */
  close(): Promise<void>;
}

interface Waiter {
  start(): void;
}

interface Line {
  holder: (Holder & { readonly controller: AbortController }) | null;
  readonly waiters: Waiter[];
}

const GRACE_MS = 1_000;

export function createNodeLocks(deps: {
  readonly nodes: Pick<NodeStore, 'find' | 'hold' | 'release'>;
  readonly owner: string;
  readonly now: () => Date;
  /** Called after each lock was released, when all changes of its work are stored. */
  readonly released?: (nodeUuid: string) => void;
}): NodeLocks {
  const lines = new Map<string, Line>();
  const working = new Set<Promise<unknown>>();
  let closed = false;

  const lineOf = (nodeUuid: string): Line => {
    const line = lines.get(nodeUuid) ?? { holder: null, waiters: [] };
    lines.set(nodeUuid, line);
    return line;
  };

  const lockedError = (nodeUuid: string, holder: Holder | null): IngotError => {
    const by = holder
      ? `host ${holder.owner} (${holder.purpose}, for ${Math.round((deps.now().getTime() - holder.since.getTime()) / 1000)} s)`
      : 'another conductor';
    return new IngotError(
      'nodeLocked',
      `Node ${nodeUuid} is locked by ${by}, please retry after the current operation is completed.`,
    );
  };

  /** Why the store refused the lock. */
  const notHeld = async (nodeUuid: string): Promise<IngotError> =>
    (await deps.nodes.find(nodeUuid)) === undefined
      ? notFound('Node', nodeUuid)
      : lockedError(nodeUuid, null);

  /** Resolves when it is this caller's turn. */
  const queue = (nodeUuid: string, line: Line, queueMs: number): Promise<void> => {
    if (line.holder === null && line.waiters.length === 0) return Promise.resolve();
    if (queueMs === 0) return Promise.reject(lockedError(nodeUuid, line.holder));
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const giveUp = (): void => {
        line.waiters.splice(line.waiters.indexOf(waiter), 1);
        reject(lockedError(nodeUuid, line.holder));
      };
      const timer = Number.isFinite(queueMs) ? setTimeout(giveUp, queueMs) : undefined;
      line.waiters.push(waiter);
    });
  };

  const passOn = (nodeUuid: string, line: Line): void => {
    line.holder = null;
    const next = line.waiters.shift();
    if (next) next.start();
    else lines.delete(nodeUuid);
  };

  return {
    async hold(nodeUuid, request, work) {
      if (closed) throw new IngotError('unavailable', 'The conductor is shutting down.');
      const line = lineOf(nodeUuid);
      const turn = queue(nodeUuid, line, request.queueMs);
      const controller = new AbortController();
      const take = (): Holder => {
        const since = deps.now();
        const deadline = new Date(since.getTime() + request.deadlineMs);
        const holder = { owner: deps.owner, purpose: request.purpose, since, deadline };
        line.holder = { ...holder, controller };
        return holder;
      };
      // The line is taken in the same tick in which the turn comes, so no other caller can take it in between.
      const immediate = line.holder === null && line.waiters.length === 0 ? take() : undefined;
      await turn;
      const holder = immediate ?? take();

      const run = async () => {
        if (closed) throw new IngotError('unavailable', 'The conductor is shutting down.');
        if (!(await deps.nodes.hold(nodeUuid, holder))) throw await notHeld(nodeUuid);
        try {
          return await work(controller.signal);
        } finally {
          await deps.nodes.release(nodeUuid, deps.owner);
          deps.released?.(nodeUuid);
        }
      };
      const overdue = new IngotError(
        'timeout',
        `${request.purpose} took longer than ${request.deadlineMs / 1000} s`,
      );
      const timer = setTimeout(() => controller.abort(overdue), request.deadlineMs);
      const done = run();
      working.add(done);
      try {
        return await Promise.race([done, graceAfter(controller.signal, GRACE_MS)]);
      } finally {
        clearTimeout(timer);
        done.catch(() => undefined).finally(() => working.delete(done));
        // Later writes of an overdue holder are refused by its aborted signal.
        controller.abort(new IngotError('aborted', `${request.purpose} no longer holds node ${nodeUuid}`));
        passOn(nodeUuid, line);
      }
    },

    async close() {
      closed = true;
      const reason = new IngotError('interrupted', 'The conductor is shutting down.');
      for (const line of lines.values()) line.holder?.controller.abort(reason);
      await Promise.allSettled(working);
    },
  };
}

/** Rejects with the signal's reason some time after it aborts; never settles otherwise. */
function graceAfter(signal: AbortSignal, graceMs: number): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), graceMs).unref(), {
      once: true,
    });
  });
}
