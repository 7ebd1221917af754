/**
 * The unmodified `baremetal` client (Debian's python3-ironicclient) inside a lab, with auth type none.
 */
import { API_URL } from './conductor.ts';
import type { Lab } from './lab.ts';

/** Debian's client needs Debian's Python, whatever comes first in PATH. */
const CLIENT = ['/usr/bin/python3', '/usr/bin/baremetal'] as const;
/** Above any wait of the client itself. */
const TIMEOUT_MS = 900_000;

export interface Baremetal {
  /** Runs a command; throws with what it printed when it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** What it prints with `-f json`. */
  show(...args: readonly string[]): Promise<Record<string, unknown>>;
}

export function createBaremetal(lab: Lab): Baremetal {
  const run: Baremetal['run'] = async (...args) => {
    const auth = ['--os-auth-type', 'none', '--os-endpoint', API_URL];
    const { code, output } = await lab.run(CLIENT[0], [CLIENT[1], ...auth, ...args], {
      timeoutMs: TIMEOUT_MS,
      env: { LANG: 'C.UTF-8' },
    });
    process.stdout.write(`baremetal ${args.slice(0, 3).join(' ')}: exit code ${code}\n`);
    if (code !== 0) throw new Error(`baremetal ${args.join(' ')} failed:\n${output}`);
    return output;
  };
  return {
    run,
    show: async (...args) => JSON.parse(await run(...args, '-f', 'json')) as Record<string, unknown>,
  };
}
