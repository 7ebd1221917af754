/**
 * A provisioning network of network namespaces: the conductor's, with the bridge, and one per further host. Needs root.
 *
 *   conductor  br0 10.83.0.1/24  <---->  eth0 of each host
 *
 * A host reaches the conductor like a real one. The test, which stays outside, talks through unix sockets that lead
 * into a namespace.
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { end } from '../fakes/netboot/namespaces.ts';

const run = promisify(execFile);
const RUN_LIMIT_MS = 30_000;
const SOCKET_LIMIT_MS = 10_000;
const LEASE_SCRIPT = fileURLToPath(new URL('../fakes/netboot/lease-script.sh', import.meta.url));
/** If the test is killed, its programs end, too. */
const WITH_US = ['--pdeathsig', 'TERM'];

export const LAN_ADDRESS = '10.83.0.1';
export const LAN_INTERFACE = 'br0';
export const HOST_INTERFACE = 'eth0';

export interface HostSpec {
  /** Of its `eth0`. Default: one that no node has. */
  readonly mac?: string;
  /** Of 10.83.0.0/24. Default: none, as before DHCP. */
  readonly address?: string;
  /** The conductor asks this host, at its address, for names. */
  readonly isNameServer?: boolean;
}

export interface LanHost {
  readonly mac: string;
  /** Runs a program to its end, in this host's namespace. Throws for an exit code other than 0. */
  run(
    command: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly stdout: string; readonly stderr: string }>;
  /** Starts a program, which ends with the network at the latest. */
  start(command: readonly string[], options?: SpawnOptions): ChildProcess;
  /** A TCP connection from this host; the test holds its other end. */
  connect(port: number, address?: string): Promise<Socket>;
  /** Path of a unix socket, each connection to which becomes a TCP connection from this host. */
  socketTo(port: number, address?: string): Promise<string>;
  setAddress(address: string): Promise<void>;
  /** Gets an address by DHCP, as firmware does, and returns it. */
  lease(): Promise<string>;
}

export interface Lan {
  /** Name of the conductor's namespace. */
  readonly namespace: string;
  /** Where the conductor runs. */
  readonly conductor: LanHost;
  /** `conductor` is where the conductor runs. */
  host(name: string): LanHost;
  close(): Promise<void>;
}

/** `dir` takes the sockets. */
export async function createLan(dir: string, hosts: Readonly<Record<string, HostSpec>>): Promise<Lan> {
  const id = randomBytes(3).toString('hex');
  const children = new Set<ChildProcess>();
  const namespaces: string[] = [];
  const ip = (...args: string[]) => run('ip', args);

  async function addNamespace(name: string): Promise<string> {
    const namespace = `ingot-a-${id}-${name}`;
    await ip('netns', 'add', namespace);
    namespaces.push(namespace);
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    return namespace;
  }

  async function close(): Promise<void> {
    await Promise.all([...children].map(end));
    for (const namespace of namespaces) await ip('netns', 'delete', namespace);
    for (const namespace of namespaces)
      await rm(join(NAMESPACE_FILES, namespace), { recursive: true, force: true });
  }

  function hostIn(namespace: string, mac: string): LanHost {
    const sockets = new Map<string, Promise<string>>();
    const inside = (command: readonly string[]) => ['netns', 'exec', namespace, ...command];
    const start: LanHost['start'] = (command, options = {}) => {
      const child = spawn('setpriv', [...WITH_US, 'ip', ...inside(command)], options);
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    };
    const runInside: LanHost['run'] = (command, env = {}) =>
      run('ip', inside(command), { timeout: RUN_LIMIT_MS, env: { ...process.env, ...env } });
    const setAddress = async (address: string) => {
      await ip('-n', namespace, 'address', 'flush', 'dev', HOST_INTERFACE);
      await ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', HOST_INTERFACE);
    };
    const socketTo: LanHost['socketTo'] = (port, address = LAN_ADDRESS) => {
      const target = `${address}:${port}`;
      const opening =
        sockets.get(target) ?? openSocket(start, join(dir, `${namespace}-${sockets.size}.sock`), target);
      sockets.set(target, opening);
      return opening;
    };
    return {
      mac,
      run: runInside,
      start,
      socketTo,
      setAddress,
      connect: async (port, address) => connect({ path: await socketTo(port, address), allowHalfOpen: true }),
      async lease() {
        const client = ['busybox', 'udhcpc', '-n', '-q', '-f', '-t', '5', '-T', '1', '-i', HOST_INTERFACE];
        await runInside([...client, '-s', LEASE_SCRIPT], { NOTES: '/dev/null' });
        const { stdout } = await ip('-n', namespace, '-4', '-j', 'address', 'show', 'dev', HOST_INTERFACE);
        return JSON.parse(stdout)[0].addr_info[0].local;
      },
    };
  }

  try {
    const conductor = await addNamespace('c');
    await ip('-n', conductor, 'link', 'add', LAN_INTERFACE, 'type', 'bridge');
    await ip('-n', conductor, 'address', 'add', `${LAN_ADDRESS}/24`, 'dev', LAN_INTERFACE);
    // A bridge without ports has no carrier; this one leads nowhere.
    await ip('-n', conductor, 'link', 'add', 'carrier0', 'type', 'veth', 'peer', 'name', 'carrier1');
    for (const port of ['carrier0', 'carrier1']) await ip('-n', conductor, 'link', 'set', port, 'up');
    await ip('-n', conductor, 'link', 'set', 'carrier0', 'master', LAN_INTERFACE);
    await ip('-n', conductor, 'link', 'set', LAN_INTERFACE, 'up');
    const nameServer = Object.values(hosts).find(({ isNameServer }) => isNameServer)?.address;
    if (nameServer !== undefined) await useNameServer(conductor, nameServer);
    const made = new Map([['conductor', hostIn(conductor, '')]]);
    for (const [index, [name, spec]] of Object.entries(hosts).entries()) {
      const mac = spec.mac ?? `52:54:00:fe:00:${(index + 1).toString(16).padStart(2, '0')}`;
      const namespace = await addNamespace(String(index));
      const port = `host${index}`;
      await ip(
        ...['link', 'add', port, 'netns', conductor, 'type', 'veth'],
        ...['peer', 'name', HOST_INTERFACE, 'address', mac, 'netns', namespace],
      );
      await ip('-n', conductor, 'link', 'set', port, 'master', LAN_INTERFACE);
      await ip('-n', conductor, 'link', 'set', port, 'up');
      await ip('-n', namespace, 'link', 'set', HOST_INTERFACE, 'up');
      const host = hostIn(namespace, mac);
      if (spec.address !== undefined) await host.setAddress(spec.address);
      made.set(name, host);
    }
    return {
      namespace: conductor,
      conductor: hostIn(conductor, ''),
      host(name) {
        const found = made.get(name);
        if (found) return found;
        throw new Error(`the network has no host ${name}`);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `ip netns exec` puts the files of this directory over those of /etc. */
const NAMESPACE_FILES = '/etc/netns';

async function useNameServer(namespace: string, address: string): Promise<void> {
  await mkdir(join(NAMESPACE_FILES, namespace), { recursive: true });
  await writeFile(join(NAMESPACE_FILES, namespace, 'resolv.conf'), `nameserver ${address}\n`);
}

const accepts = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path }, () => resolve(true));
    probe.once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });

async function openSocket(start: LanHost['start'], path: string, target: string): Promise<string> {
  start(['socat', `UNIX-LISTEN:${path},fork,backlog=1024`, `TCP:${target}`], { stdio: 'ignore' });
  const deadline = Date.now() + SOCKET_LIMIT_MS;
  // The path exists a moment before socat listens on it.
  while (!(await accepts(path))) {
    if (Date.now() > deadline) throw new Error(`socat did not open ${path}`);
    await sleep(20);
  }
  return path;
}
