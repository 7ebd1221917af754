/**
 * SQLite behind kysely: the one file that names the database engine.
 *
 * One connection, used by one caller at a time: a transaction keeps it until it ends and everybody else
 * waits. Statements are prepared once and kept. Another engine joins by offering the same SqlEngine.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Statement } from 'better-sqlite3';
import SqliteFile from 'better-sqlite3';
import type { DatabaseConnection, Dialect, Expression, QueryResult, RawBuilder } from 'kysely';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';

export interface BrokenConstraint {
  readonly kind: 'unique' | 'foreign key';
  /** `table.column` of a unique constraint. */
  readonly column: string;
}

export interface SqlEngine {
  readonly dialect: Dialect;
  /** Runs the body of an open transaction; using the connection in it by another way throws at once. */
  inTransaction<T>(work: () => Promise<T>): Promise<T>;
  /** An object of key -> JSON value over all rows of a sub-select. */
  aggregateObject(key: Expression<unknown>, json: Expression<unknown>): RawBuilder<string | null>;
  brokenConstraint(error: unknown): BrokenConstraint | undefined;
}

/** Above the number of distinct texts we ever send, lists of different lengths aside. */
const MAX_STATEMENTS = 500;
const BUSY_TIMEOUT_MS = 5_000;

/** Opens or makes the file: mode 0600, and 0700 for directories that have to be made. */
export function openSqlite(path: string): SqlEngine {
  if (path !== ':memory:') createPrivately(path);
  const file = new SqliteFile(path, { timeout: BUSY_TIMEOUT_MS });
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.pragma('foreign_keys = ON');
  // Deleted secrets are overwritten, not only unlinked.
  file.pragma('secure_delete = ON');

  const scope = new AsyncLocalStorage<{ open: boolean }>();
  return {
    dialect: {
      createAdapter: () => new TransactionalDdlAdapter(),
      createDriver: () => new KeptStatementsDriver(file, () => scope.getStore()?.open === true),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
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
  };
}

function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** SQLite can undo DDL; kysely does not count on it, we do, so that a migration is all or nothing. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Waiting in turn is the driver's: see acquireConnection. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class KeptStatementsDriver extends SqliteDriver {
  readonly #file: SqliteFile.Database;
  readonly #insideTransaction: () => boolean;
  readonly #connection: DatabaseConnection;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(file: SqliteFile.Database, insideTransaction: () => boolean) {
    super({ database: file });
    this.#file = file;
    this.#insideTransaction = insideTransaction;
    this.#connection = keptStatements(file);
  }

  /**
   * Gives the connection to callers in the order they ask. Asking from within an open transaction would
   * wait for ever, as the transaction waits for the asker: that is a bug and says so.
   */
  override async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#insideTransaction()) {
      throw new Error('the store was used inside its own transaction: use the store given to the work');
    }
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    return this.#connection;
  }

  override async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }

  /** Takes the write lock at once: a reader that turns writer later could not wait for it. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async destroy(): Promise<void> {
    this.#file.close();
  }
}

function keptStatements(file: SqliteFile.Database): DatabaseConnection {
  const statements = new Map<string, Statement<unknown[], unknown>>();

  function prepare(text: string): Statement<unknown[], unknown> {
    const kept = statements.get(text);
    if (kept !== undefined) return kept;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = file.prepare<unknown[], unknown>(text);
    statements.set(text, statement);
    return statement;
  }

  return {
    async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const statement = prepare(text);
      if (statement.reader) return { rows: statement.all(parameters) as R[] };
      const { changes, lastInsertRowid } = statement.run(parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    // biome-ignore lint/correctness/useYield: a kept statement must not stay open between two callers
    async *streamQuery() {
      throw new Error('the store does not stream: page by key');
    },
  };
}

/** Reads `UNIQUE constraint failed: nodes.name`. */
function brokenConstraint(error: unknown): BrokenConstraint | undefined {
  if (!(error instanceof SqliteFile.SqliteError)) return undefined;
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return { kind: 'foreign key', column: '' };
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return { kind: 'unique', column: error.message.split(': ')[1] ?? '' };
  }
  return undefined;
}
