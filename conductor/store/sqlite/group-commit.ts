/**
 * One SQLite connection for many callers, with group commit.
 *
 * A flush to disk costs more than all the rest of a small write, so writes that come in the same turn of
 * the event loop share one: the first opens a group (BEGIN), the others join it, and when the turn is over
 * the group is committed and the log flushed. No call resolves before that, readers of the group's rows
 * included: a caller only ever learns of what is on disk. The event loop goes on during a flush, and the next group
 * gathers until it has ended.
 *
 * A statement that fails undoes only itself. A transaction is a savepoint in the group; it has the
 * connection to itself until it ends and everybody else waits in line.
 */
import type { Database as SqliteFile, Statement } from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { LogFlush } from './log-flush.ts';

/** Above the number of distinct texts we ever send, lists of different lengths aside. */
const MAX_STATEMENTS = 500;
/** A group is committed early when so many wait for it. */
const MAX_GROUP = 256;

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** A read that does not wait for the disk: see NodeStore.peek. */
export interface EarlyQuery extends CompiledQuery {
  readonly early?: true;
}

/** The driver for kysely, and connections for those who have their query compiled. */
export interface GroupCommit extends Driver {
  /** Each transaction wants one of its own. */
  connect(): DatabaseConnection;
}

/**
 * `insideTransaction` tells whether the caller runs within the body of an open transaction; `log` is flushed
 * after each commit, unless the commit itself does it.
 */
export function groupCommitDriver(
  file: SqliteFile,
  insideTransaction: () => boolean,
  log?: LogFlush,
): GroupCommit {
  const run = statementRunner(file);
  const control = {
    begin: file.prepare('begin immediate'),
    commit: file.prepare('commit'),
    rollback: file.prepare('rollback'),
    beginWork: file.prepare('savepoint work'),
    endWork: file.prepare('release work'),
    undoWork: file.prepare('rollback to work'),
  };
  const line: (() => void)[] = [];
  let group: Waiter[] | undefined;
  /** Callers whose group is committed and not yet on disk. */
  let flushing: Waiter[] | undefined;
  let lastFlush = Promise.resolve();
  let commitDue = false;
  let taken = false;
  const inTransaction = new WeakSet<DatabaseConnection>();

  function join(): void {
    if (group !== undefined && !file.inTransaction) fail(new Error('SQLite has rolled the group back'));
    if (group !== undefined) return;
    control.begin.run();
    group = [];
    setImmediate(() => {
      commitDue = true;
      commitIfDue();
    });
  }

  /** Resolves when all that was done so far is on disk. */
  function committed(): Promise<void> {
    const waiters = group ?? flushing;
    if (waiters === undefined) return Promise.resolve();
    const done = new Promise<void>((resolve, reject) => waiters.push({ resolve, reject }));
    commitIfDue();
    return done;
  }

  function commitIfDue(): void {
    const due = commitDue || (group?.length ?? 0) >= MAX_GROUP;
    if (due && !taken && flushing === undefined) commit();
  }

  function commit(): void {
    commitDue = false;
    if (group === undefined) return;
    try {
      control.commit.run();
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
    if (file.inTransaction) control.rollback.run();
    for (const waiter of waiters) waiter.reject(error);
  }

  /**
   * Does `work` as soon as no transaction has the connection, in the order of asking. Asking from within
   * a transaction would wait for ever: that is a bug, and it says so.
   */
  async function inTurn<T>(work: () => T): Promise<T> {
    if (insideTransaction()) {
      throw new Error('the store was used inside its own transaction: use the store given to the work');
    }
    if (!taken && line.length === 0) return work();
    return new Promise((resolve, reject) => {
      line.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  function handOver(): void {
    taken = false;
    commitIfDue();
    while (!taken) {
      const next = line.shift();
      if (next === undefined) return;
      next();
    }
  }

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
      // biome-ignore lint/correctness/useYield: an open cursor would keep everybody else out
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
        control.beginWork.run();
        taken = true;
        inTransaction.add(connection);
      }),
    async commitTransaction(connection) {
      control.endWork.run();
      inTransaction.delete(connection);
      const done = committed();
      handOver();
      await done;
    },
    async rollbackTransaction(connection) {
      // commitTransaction may have failed half-way or SQLite may have rolled back by itself.
      if (!inTransaction.delete(connection)) return;
      if (file.inTransaction) {
        control.undoWork.run();
        control.endWork.run();
      }
      handOver();
    },
    async destroy() {
      await lastFlush;
      commit();
      await lastFlush;
      file.close();
      log?.close();
    },
  };
}

/** Statements are prepared once and kept. `beforeWrite` is called before one that changes something. */
function statementRunner(file: SqliteFile) {
  const statements = new Map<string, Statement<unknown[], unknown>>();

  function prepare(text: string): Statement<unknown[], unknown> {
    const kept = statements.get(text);
    if (kept !== undefined) return kept;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = file.prepare<unknown[], unknown>(text);
    statements.set(text, statement);
    return statement;
  }

  return <R>({ sql, parameters }: CompiledQuery, beforeWrite: () => unknown): QueryResult<R> => {
    const statement = prepare(sql);
    if (!statement.readonly) beforeWrite();
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}
