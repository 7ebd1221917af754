/**
 * The unmodified `baremetal` and `openstack` clients (Debian's python3-ironicclient and python3-openstackclient)
 * inside a lab, with auth type none.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_URL, COMPUTE_URL } from './conductor.ts';
import type { Lab } from './lab.ts';

/** clouds.yaml as in docs/compute.md; both clients read it. */
const CLOUDS = {
  clouds: {
    lab: {
      auth_type: 'none',
      // Server commands use this endpoint, whatever overrides are set.
      auth: { endpoint: `${COMPUTE_URL}/compute/v2.1` },
      image_endpoint_override: `${COMPUTE_URL}/image/v2`,
      network_endpoint_override: `${COMPUTE_URL}/network`,
      baremetal_endpoint_override: API_URL,
    },
  },
};
/** Debian's clients need Debian's Python, whatever comes first in PATH. */
const PYTHON = '/usr/bin/python3';
/** Longer than any wait of the client itself. */
const TIMEOUT_MS = 900_000;

export interface Client {
  /** Runs a command. Throws with its output if it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** Runs a command and returns its `-f json` output. */
  show(...args: readonly string[]): Promise<Record<string, unknown>>;
}

export function createClient(lab: Lab, name: 'baremetal' | 'openstack'): Client {
  const config = join(lab.dir, 'clouds.yaml');
  const run: Client['run'] = async (...args) => {
    // JSON is valid YAML.
    await writeFile(config, JSON.stringify(CLOUDS));
    const { code, output } = await lab.run(PYTHON, [`/usr/bin/${name}`, ...args], {
      timeoutMs: TIMEOUT_MS,
      env: { LANG: 'C.UTF-8', OS_CLOUD: 'lab', OS_CLIENT_CONFIG_FILE: config },
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
