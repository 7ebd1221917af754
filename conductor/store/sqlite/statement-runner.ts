/**
 * Runs compiled statements on the SQLite connection.
 */
import type { Database as SqliteFile, Statement } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';

/** Larger than the number of distinct SQL texts of the program, except lists of different lengths. */
const MAX_STATEMENTS = 500;

/** Prepares each statement once and keeps it. Calls `beforeWrite` before a statement that writes. */
export function statementRunner(file: SqliteFile) {
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
