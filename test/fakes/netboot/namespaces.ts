/**
 * Two network namespaces joined by a virtual cable: a server's and a client's. Needs root.
 *
 *   server  prov0 10.77.0.1/24  <---->  boot0 client, with the MAC address asked for and no address
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);
const RUN_LIMIT_MS = 30_000;

export const SERVER_ADDRESS = '10.77.0.1';
export const SERVER_INTERFACE = 'prov0';
export const CLIENT_INTERFACE = 'boot0';

/** If the run is killed, its programs (such as QEMU) are killed, too. */
const WITH_US = ['--pdeathsig', 'TERM'];

export type Side = 'server' | 'client';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cable {
  /** Runs the command to its end. Returns the exit code, also when it is not 0. */
  run(side: Side, command: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Starts the command. It ends with the cable at the latest. */
  start(side: Side, command: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Adds an address of the network and a default route, which broadcasts use, too. */
  addressClient(address: string): Promise<void>;
  /** Removes all addresses and routes of the client. */
  resetClient(): Promise<void>;
  close(): Promise<void>;
}

export async function createCable(clientMac: string): Promise<Cable> {
  const id = randomBytes(3).toString('hex');
  const names: Readonly<Record<Side, string>> = { server: `ingot-s-${id}`, client: `ingot-c-${id}` };
  const children = new Set<ChildProcess>();
  const ip = (...args: string[]) => run('ip', args);
  const inside = (side: Side, command: readonly string[]) => ['netns', 'exec', names[side], ...command];

  async function close(): Promise<void> {
    await Promise.all([...children].map(end));
    // Deleting the namespace removes the cable.
    for (const name of Object.values(names)) await ip('netns', 'delete', name);
  }

  for (const name of Object.values(names)) await ip('netns', 'add', name);
  try {
    await ip(
      ...['link', 'add', SERVER_INTERFACE, 'netns', names.server, 'type', 'veth'],
      ...['peer', 'name', CLIENT_INTERFACE, 'address', clientMac, 'netns', names.client],
    );
    for (const [name, device] of [
      [names.server, SERVER_INTERFACE],
      [names.client, CLIENT_INTERFACE],
    ] as const) {
      await ip('-n', name, 'link', 'set', 'lo', 'up');
      await ip('-n', name, 'link', 'set', device, 'up');
    }
    await ip('-n', names.server, 'address', 'add', `${SERVER_ADDRESS}/24`, 'dev', SERVER_INTERFACE);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    async run(side, command, env = {}) {
      const options = { timeout: RUN_LIMIT_MS, env: { ...process.env, ...env } };
      try {
        return { code: 0, ...(await run('ip', inside(side, command), options)) };
      } catch (error) {
        const {
          code,
          stdout = '',
          stderr = '',
        } = error as { code?: unknown; stdout?: string; stderr?: string };
        if (typeof code !== 'number') throw error;
        return { code, stdout, stderr };
      }
    },
    start(side, command, options = {}) {
      const child = spawn('setpriv', [...WITH_US, 'ip', ...inside(side, command)], options);
      children.add(child);
      return child;
    },
    async addressClient(address) {
      await ip('-n', names.client, 'address', 'add', `${address}/24`, 'dev', CLIENT_INTERFACE);
      await ip('-n', names.client, 'route', 'add', 'default', 'dev', CLIENT_INTERFACE);
    },
    async resetClient() {
      await ip('-n', names.client, 'address', 'flush', 'dev', CLIENT_INTERFACE);
    },
    close,
  };
}

/** `ip netns exec` execs the program, so this signal reaches the program. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(hard);
}
