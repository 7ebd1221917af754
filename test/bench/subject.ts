/**
 * The measured servers: our conductor and Debian's Ironic, each a process on loopback with its own SQLite file. The
 * benchmark also writes to these files, to create many nodes and to set their states quickly.
 */
import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { startOracle } from '../conformance/oracle.ts';
import { startOurs } from '../conformance/ours.ts';
import type { ServerProcess } from '../conformance/server-process.ts';

export interface Subject extends ServerProcess {
  readonly name: 'ours' | 'ironic';
  readonly db: DatabaseSync;
}

/** The highest allowed value, because all agents of the benchmark have one address. */
const CALLS_PER_MINUTE = '1000000';
const BUSY_TIMEOUT_MS = 30_000;

const subject = (name: Subject['name'], server: ServerProcess): Subject => {
  const db = new DatabaseSync(server.database, { timeout: BUSY_TIMEOUT_MS });
  return {
    ...server,
    ...{ name, db },
    async stop() {
      db.close();
      await server.stop();
    },
  };
};

/** `env` adds settings, as INGOT_* variables. */
export const startOurSubject = async (env: Readonly<Record<string, string>> = {}): Promise<Subject> =>
  subject('ours', await startOurs({ INGOT_BOOT_CALLS_PER_MINUTE: CALLS_PER_MINUTE, ...env }));

export const startIronicSubject = async (): Promise<Subject> => subject('ironic', await startOracle());

/** Resident memory in MiB (proc_pid_status(5), VmRSS is in kB). */
export function residentMib({ pid }: Subject): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]) / 1024);
}

const MS_PER_TICK = 10;

/** Processor time used so far (proc_pid_stat(5), fields 14 and 15). */
export function cpuMs({ pid }: Subject): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

type Row = Record<string, SQLInputValue>;

/** Copies a row into a table; the database assigns the key. */
export function insertCopy(db: DatabaseSync, table: string, row: Row, changes: Row): number {
  const { id: _, ...copy } = { ...row, ...changes };
  const names = Object.keys(copy);
  const places = names.map(() => '?').join();
  const quoted = names.map((name) => `"${name}"`).join();
  const insert = db.prepare(`insert into ${table} (${quoted}) values (${places})`);
  return Number(insert.run(...Object.values(copy)).lastInsertRowid);
}

/** In one transaction, with one flush. */
export function atOnce(db: DatabaseSync, work: () => void): void {
  db.exec('begin immediate');
  try {
    work();
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}
