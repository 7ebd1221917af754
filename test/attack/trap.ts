/**
 * A trap: a host of the attacked network that answers HTTP and DNS (trap-server.ts) and notes who asks.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LanHost } from './attacked-lan.ts';
import type { Names } from './trap-server.ts';

const PROGRAM = fileURLToPath(new URL('trap-server.ts', import.meta.url));

export interface Request {
  readonly http: string;
  readonly host: string;
  readonly authorization: string | null;
}

export interface Trap {
  readonly requests: readonly Request[];
  /** Names that were asked for, with the answers. */
  readonly queries: readonly {
    readonly dns: string;
    readonly type: string;
    readonly answer: readonly string[];
  }[];
}

export async function setTrap(host: LanHost, names: Names = {}): Promise<Trap> {
  const child = host.start([process.execPath, PROGRAM, JSON.stringify({ names })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const requests: Request[] = [];
  const queries: Trap['queries'][number][] = [];
  const lines = createInterface({ input: child.stdout! });
  await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the trap did not start'))),
  ]);
  lines.on('line', (line) => {
    const note = JSON.parse(line);
    if (note.http !== undefined) requests.push(note);
    else queries.push(note);
  });
  return { requests, queries };
}
