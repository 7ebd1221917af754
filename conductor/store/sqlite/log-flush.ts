/**
 * Flushes SQLite's write-ahead log outside the event loop. With `synchronous = NORMAL` SQLite itself orders what it
 * writes so that a crash corrupts nothing, but leaves out the flush after a commit, which would hold up everybody;
 * done here before anybody hears of the commit, it is as durable as FULL.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';

export interface LogFlush {
  /** Resolves when everything committed so far is on disk. */
  flush(): Promise<void>;
  close(): void;
}

/** `path` is that of the log, which SQLite makes with the first commit and keeps as long as the database is open. */
export function createLogFlush(path: string): LogFlush {
  let log: number | undefined;
  return {
    flush: () =>
      new Promise((resolve, reject) => {
        log ??= openSync(path, 'r');
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      }),
    close() {
      if (log !== undefined) closeSync(log);
    },
  };
}
