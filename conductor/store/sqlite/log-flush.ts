/**
 * Flushes SQLite's write-ahead log outside the event loop. With `synchronous = NORMAL`, a crash can not corrupt the
 * database, but SQLite does not flush after a commit; its own flush would block the event loop. The flush here is done
 * before any caller gets its result, so commits are as durable as with `synchronous = FULL`.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';

export interface LogFlush {
  /** Resolves when everything committed so far is on disk. */
  flush(): Promise<void>;
  close(): void;
}

/** `path`: the log, which SQLite creates with the first commit and keeps while the database is open. */
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
