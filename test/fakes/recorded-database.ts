/**
 * A database in memory with the current schema that records the statements that run on it, so that a test can read
 * SQLite's query plans.
 */
import { createDatabase, type Database } from '@ingot/conductor/store/sqlite/database.ts';
import { migrate } from '@ingot/conductor/store/sqlite/migrate.ts';
import { openSqlite } from '@ingot/conductor/store/sqlite/sqlite.ts';
import { CompiledQuery } from 'kysely';

export interface RecordedDatabase extends AsyncDisposable {
  readonly db: Database;
  /**
   * Runs `work` and returns the query plan of each statement that it ran outside of transactions and not through
   * kysely.
   */
  plansOf(work: () => Promise<unknown>): Promise<string[]>;
  /** Rows of a statement of the test. */
  rows<T extends object>(statement: string): Promise<T[]>;
}

export async function openRecordedDatabase(): Promise<RecordedDatabase> {
  const inner = createDatabase(openSqlite(':memory:'));
  await migrate(inner, ':memory:');
  let seen: CompiledQuery[] = [];
  const db: Database = {
    ...inner,
    run(query) {
      seen.push(query);
      return inner.run(query);
    },
  };
  const rows = async <T extends object>(statement: string, parameters: readonly unknown[] = []) =>
    (await inner.run<T>(CompiledQuery.raw(statement, [...parameters]))).rows;
  return {
    db,
    rows,
    async plansOf(work) {
      seen = [];
      await work();
      const plans = seen.map(({ sql, parameters }) =>
        rows<{ detail: string }>(`explain query plan ${sql}`, parameters),
      );
      return (await Promise.all(plans)).map((lines) => lines.map(({ detail }) => detail).join('; '));
    },
    [Symbol.asyncDispose]: () => inner.close(),
  };
}
