/**
 * A group of writes that are committed and flushed together: see group-commit.ts.
 */
import type { Database as SqliteFile } from 'better-sqlite3';
import type { LogFlush } from './log-flush.ts';

/** A group is committed early when this many callers wait for it. */
const MAX_GROUP = 256;

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

export interface CommitGroup {
  /** Opens a group unless one is open. Called before every write. */
  join(): void;
  /** Resolves when all writes so far are on disk. */
  committed(): Promise<void>;
  commitIfDue(): void;
  /** Commits the open group and waits until it is on disk. */
  close(): Promise<void>;
}

/** `mayCommit` is false while a transaction is open. `log` is flushed after each commit; undefined: no flush needed. */
export function createCommitGroup(file: SqliteFile, mayCommit: () => boolean, log?: LogFlush): CommitGroup {
  const begin = file.prepare('begin immediate');
  const commitAll = file.prepare('commit');
  const rollback = file.prepare('rollback');
  let group: Waiter[] | undefined;
  /** Callers whose group is committed, but not on disk yet. */
  let flushing: Waiter[] | undefined;
  let lastFlush = Promise.resolve();
  let commitDue = false;

  function join(): void {
    if (group !== undefined && !file.inTransaction) fail(new Error('SQLite has rolled the group back'));
    if (group !== undefined) return;
    begin.run();
    group = [];
    setImmediate(() => {
      commitDue = true;
      commitIfDue();
    });
  }

  function committed(): Promise<void> {
    const waiters = group ?? flushing;
    if (waiters === undefined) return Promise.resolve();
    const done = new Promise<void>((resolve, reject) => waiters.push({ resolve, reject }));
    commitIfDue();
    return done;
  }

  function commitIfDue(): void {
    const due = commitDue || (group?.length ?? 0) >= MAX_GROUP;
    if (due && mayCommit() && flushing === undefined) commit();
  }

  function commit(): void {
    commitDue = false;
    if (group === undefined) return;
    try {
      commitAll.run();
    } catch (error) {
      fail(error);
      return;
    }
    const waiters = group;
    group = undefined;
    if (log === undefined) {
      for (const waiter of waiters) waiter.resolve();
      return;
    }
    flushing = waiters;
    lastFlush = log
      .flush()
      .then(
        () => settle((waiter) => waiter.resolve()),
        (error: unknown) => settle((waiter) => waiter.reject(error)),
      )
      .then(commitIfDue);
  }

  function settle(tell: (waiter: Waiter) => void): void {
    const waiters = flushing ?? [];
    flushing = undefined;
    for (const waiter of waiters) tell(waiter);
  }

  function fail(error: unknown): void {
    const waiters = group ?? [];
    group = undefined;
    if (file.inTransaction) rollback.run();
    for (const waiter of waiters) waiter.reject(error);
  }

  return {
    join,
    committed,
    commitIfDue,
    async close() {
      await lastFlush;
      commit();
      await lastFlush;
    },
  };
}
