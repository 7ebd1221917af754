/**
 * The lock of a data directory: one process at a time may use it. The operating system holds the lock (SQLite's own
 * lock on a small file), so it ends with the process, however that ends, and no file has to be cleaned up.
 */
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { IngotError } from '../../domain/errors.ts';
import { createPrivately } from './private-file.ts';

export interface DataDirLock {
  release(): void;
}

/** A process that is about to end gets this long. */
const WAIT_MS = 500;

/** Throws IngotError('conflict') if another process has the lock. Nothing else in the directory is touched. */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = join(dataDir, 'ingot.lock');
  createPrivately(path);
  const file = new SqliteFile(path, { timeout: WAIT_MS });
  try {
    // A failing write must leave no journal file, and the file has nothing that must survive a crash.
    file.pragma('journal_mode = MEMORY');
    file.pragma('synchronous = OFF');
    hold(file);
  } catch (error) {
    if (file.inTransaction) file.prepare('rollback').run();
    const holder = isBusy(error) ? holderOf(file) : undefined;
    file.close();
    if (holder === undefined) throw error;
    throw new IngotError(
      'conflict',
      `The data directory ${dataDir} is in use${holder}: stop that process first, or use another directory (data_dir, --data).`,
    );
  }
  return { release: () => file.close() };
}

/** Leaves a write transaction open: others can read who has the lock, and can not get it. */
function hold(file: SqliteFile.Database): void {
  for (;;) {
    file.prepare('begin immediate').run();
    // Only what is committed can be read by others, so the process id is written in a transaction before.
    if (writer(file) === process.pid) return;
    file.pragma(`user_version = ${process.pid}`);
    file.prepare('commit').run();
  }
}

const writer = (file: SqliteFile.Database): unknown => file.pragma('user_version', { simple: true });

function holderOf(file: SqliteFile.Database): string {
  try {
    const pid = writer(file);
    return typeof pid === 'number' && pid > 0 ? ` by process ${pid}` : '';
  } catch {
    return '';
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof SqliteFile.SqliteError && error.code.startsWith('SQLITE_BUSY');
