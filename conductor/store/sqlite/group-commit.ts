/**
 * One SQLite connection for many callers, with group commit.
 *
 * A flush to disk takes longer than all other parts of a small write, so all writes in the same turn of the event loop
 * share one flush. The first write opens a group (BEGIN), the others join it, and after the turn the group is
 * committed and the log is flushed. No call resolves before that, not even a read of the group's rows: callers see
 * only data that is on disk. The event loop is not blocked during a flush; new writes form the next group meanwhile.
 *
 * A statement that fails is rolled back alone. A transaction is a savepoint in the group; it has the connection alone
 * until it ends, and all other callers wait.
 */
import type { Database as SqliteFile } from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { createCommitGroup } from './commit-group.ts';
import { createConnectionTurns } from './connection-turns.ts';
import type { LogFlush } from './log-flush.ts';
import { statementRunner } from './statement-runner.ts';

/** A read that does not wait for the disk: see NodeStore.peek. */
export interface EarlyQuery extends CompiledQuery {
  readonly early?: true;
}

/** The driver for kysely, which also gives connections to callers with compiled queries. */
export interface GroupCommit extends Driver {
  /** A new connection; each transaction needs its own. */
  connect(): DatabaseConnection;
}

/** `insideTransaction` returns whether the caller is in the body of an open transaction. */
export function groupCommitDriver(
  file: SqliteFile,
  insideTransaction: () => boolean,
  log?: LogFlush,
): GroupCommit {
  const run = statementRunner(file);
  const beginWork = file.prepare('savepoint work');
  const endWork = file.prepare('release work');
  const undoWork = file.prepare('rollback to work');
  const turns = createConnectionTurns(insideTransaction);
  const { inTurn } = turns;
  const group = createCommitGroup(file, () => !turns.isTaken(), log);
  const { join, committed } = group;
  const inTransaction = new WeakSet<DatabaseConnection>();
  const handOver = (): void => turns.handOver(group.commitIfDue);

  function connect(): DatabaseConnection {
    const connection: DatabaseConnection = {
      async executeQuery<R>(query: EarlyQuery): Promise<QueryResult<R>> {
        if (inTransaction.has(connection)) {
          if (!file.inTransaction) throw new Error('SQLite has rolled this transaction back');
          return run<R>(query, () => undefined);
        }
        if (query.early) return inTurn(() => run<R>(query, join));
        const { result, done } = await inTurn(() => ({ result: run<R>(query, join), done: committed() }));
        await done;
        return result;
      },
      // biome-ignore lint/correctness/useYield: an open cursor would block all other callers
      async *streamQuery() {
        throw new Error('the store does not stream: page by key');
      },
    };
    return connection;
  }

  return {
    connect,
    init: async () => undefined,
    acquireConnection: async () => connect(),
    releaseConnection: async () => undefined,
    beginTransaction: (connection) =>
      inTurn(() => {
        join();
        beginWork.run();
        turns.take();
        inTransaction.add(connection);
      }),
    async commitTransaction(connection) {
      endWork.run();
      inTransaction.delete(connection);
      const done = committed();
      handOver();
      await done;
    },
    async rollbackTransaction(connection) {
      // commitTransaction may have failed after its first step, or SQLite may have rolled back by itself.
      if (!inTransaction.delete(connection)) return;
      if (file.inTransaction) {
        undoWork.run();
        endWork.run();
      }
      handOver();
    },
    async destroy() {
      await group.close();
      file.close();
      log?.close();
    },
  };
}
