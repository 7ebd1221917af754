/**
 * A server as a child process on loopback: finds free ports, waits until it answers, stops it by its process id.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const START_TIMEOUT_MS = 45_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 10;

export interface ServerProcess {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly pid: number;
  /** From the start of the process to its first answer. */
  readonly startMs: number;
  /** Its SQLite file. */
  readonly database: string;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port on 127.0.0.1');
  return address.port;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logPath: string;
}

export function startProcess({ file, args, env, logPath }: Command): ChildProcess {
  const log = openSync(logPath, 'a');
  return spawn(file, [...args], { env, stdio: ['ignore', log, log] });
}

/** Resolves with the ms until `url` answers. Throws with the end of the log if the process exits or takes too long. */
export async function untilAnswers(child: ChildProcess, url: string, logPath: string): Promise<number> {
  const began = performance.now();
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      const log = await readFile(logPath, 'utf8');
      throw new Error(`${child.spawnfile} does not answer at ${url}:\n${log.slice(-4000)}`);
    }
    await sleep(POLL_MS);
  }
  return performance.now() - began;
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (answer) => {
      await answer.text();
      return answer.ok;
    },
    () => false,
  );

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(hard);
}
