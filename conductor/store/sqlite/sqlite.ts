/**
 * SQLite for kysely: the file, its settings, and SQL that only SQLite has. group-commit.ts shares the one connection
 * between its callers. Another database would implement the same SqlEngine.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import SqliteFile from 'better-sqlite3';
import type { Dialect, Driver, Expression, RawBuilder } from 'kysely';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { type GroupCommit, groupCommitDriver } from './group-commit.ts';
import { createLogFlush } from './log-flush.ts';
import { createPrivately } from './private-file.ts';

export interface BrokenConstraint {
  readonly kind: 'unique' | 'foreign key';
  /** `table.column` of a unique constraint, or several with commas. */
  readonly column: string;
}

export interface SqlEngine {
  readonly driver: GroupCommit;
  /** The kysely dialect for this driver, or for the driver of an open transaction. */
  dialect(driver: Driver): Dialect;
  /** Runs the body of an open transaction. Use of the outer store in the body throws at once. */
  inTransaction<T>(work: () => Promise<T>): Promise<T>;
  /** Aggregates all rows of a sub-select to one object: key -> JSON value. */
  aggregateObject(key: Expression<unknown>, json: Expression<unknown>): RawBuilder<string | null>;
  brokenConstraint(error: unknown): BrokenConstraint | undefined;
  /** Rewrites the file, so that no bytes of deleted and changed rows are left in it or in the log. Blocks. */
  scrub(): void;
}

const BUSY_TIMEOUT_MS = 5_000;

/** Opens the file or creates it with mode 0600; missing directories are created with mode 0700. */
export function openSqlite(path: string): SqlEngine {
  if (path !== ':memory:') createPrivately(path);
  const file = new SqliteFile(path, { timeout: BUSY_TIMEOUT_MS });
  file.pragma('journal_mode = WAL');
  // We flush commits to disk ourselves: see log-flush.ts.
  file.pragma(path === ':memory:' ? 'synchronous = OFF' : 'synchronous = NORMAL');
  file.pragma('foreign_keys = ON');
  // Overwrites the bytes of deleted secrets.
  file.pragma('secure_delete = ON');

  const log = path === ':memory:' ? undefined : createLogFlush(`${path}-wal`);
  const scope = new AsyncLocalStorage<{ open: boolean }>();
  return {
    driver: groupCommitDriver(file, () => scope.getStore()?.open === true, log),
    dialect: (driver) => ({
      createAdapter: () => new TransactionalDdlAdapter(),
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    }),
    async inTransaction(work) {
      const mark = { open: true };
      try {
        return await scope.run(mark, work);
      } finally {
        mark.open = false;
      }
    },
    aggregateObject: (key, json) => sql`json_group_object(${key}, json(${json}))`,
    brokenConstraint,
    scrub() {
      file.prepare('vacuum').run();
      file.pragma('wal_checkpoint(TRUNCATE)');
    },
  };
}

/** SQLite can roll back DDL; kysely's adapter does not use this. Here it is used, so that a migration is atomic. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Many callers share the connection; the driver lets one in at a time. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Parses messages such as `UNIQUE constraint failed: nodes.name`. */
function brokenConstraint(error: unknown): BrokenConstraint | undefined {
  if (!(error instanceof SqliteFile.SqliteError)) return undefined;
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return { kind: 'foreign key', column: '' };
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return { kind: 'unique', column: error.message.split(': ')[1] ?? '' };
  }
  return undefined;
}
