/**
 * The unmodified `baremetal` and `openstack` clients (Debian's python3-ironicclient and python3-openstackclient)
 * inside a lab, with auth type none.
 */
import { API_URL, COMPUTE_URL } from './conductor.ts';
import type { Lab } from './lab.ts';

const ENVIRONMENTS = {
  baremetal: { OS_ENDPOINT: API_URL },
  // Commands of servers go by this endpoint, whatever is overridden.
  openstack: {
    OS_ENDPOINT: `${COMPUTE_URL}/compute/v2.1`,
    OS_IMAGE_ENDPOINT_OVERRIDE: `${COMPUTE_URL}/image/v2`,
    OS_NETWORK_ENDPOINT_OVERRIDE: `${COMPUTE_URL}/network`,
    OS_BAREMETAL_ENDPOINT_OVERRIDE: API_URL,
  },
} as const;
/** Debian's clients need Debian's Python, whatever comes first in PATH. */
const PYTHON = '/usr/bin/python3';
/** Above any wait of the client itself. */
const TIMEOUT_MS = 900_000;

export interface Client {
  /** Runs a command; throws with what it printed when it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** What it prints with `-f json`. */
  show(...args: readonly string[]): Promise<Record<string, unknown>>;
}

export function createClient(lab: Lab, name: keyof typeof ENVIRONMENTS): Client {
  const run: Client['run'] = async (...args) => {
    const { code, output } = await lab.run(PYTHON, [`/usr/bin/${name}`, ...args], {
      timeoutMs: TIMEOUT_MS,
      env: { LANG: 'C.UTF-8', OS_AUTH_TYPE: 'none', ...ENVIRONMENTS[name] },
    });
    process.stdout.write(`${name} ${args.slice(0, 3).join(' ')}: exit code ${code}\n`);
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} failed:\n${output}`);
    return output;
  };
  return {
    run,
    show: async (...args) => JSON.parse(await run(...args, '-f', 'json')) as Record<string, unknown>,
  };
}
