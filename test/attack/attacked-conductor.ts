/**
 * The conductor that attack tests attack: `ingot serve` in a process of its own, with a configuration file and a data
 * directory, as an operator starts it. By default it listens on loopback only; with `loopback` its provisioning
 * listener is there, too; with `hosts` it runs in a network namespace with a provisioning network (DHCP, TFTP, HTTP
 * boot) on which these hosts are.
 *
 *   await using conductor = await startAttackedConductor({ hosts: { stranger: { address: '10.83.0.66' } } });
 *   const { node } = await conductor.nodeAwaitingAgent('deploy', { mac: '52:54:00:00:00:01' });
 *   const answer = await conductor.host('stranger').call('GET', `/v1/lookup?node_uuid=${node}`);
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess } from '../conformance/server-process.ts';
import { createOperator, type Made, type Operator } from '../fakes/operator.ts';
import {
  createLan,
  type HostSpec,
  LAN_ADDRESS,
  LAN_INTERFACE,
  type Lan,
  type LanHost,
} from './attacked-lan.ts';
import { type AgentOperation, type AwaitingNode, makeNodeAwaitingAgent } from './awaiting-node.ts';
import { createHttpCaller, type HttpAnswer, type HttpCall, operatorCall } from './http-caller.ts';

const PROGRAM = resolve(fileURLToPath(import.meta.url), '../../../bin/ingot.js');
/** As in the first line of bin/ingot.js. */
const NODE_FLAG = '--max-semi-space-size=16';
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 60_000;
const POLL_MS = 20;
/** On a network of its own, ports need not be free ones. */
const LAN_PORTS = { api: 6385, compute: 8774, boot: 8089, bootTls: 8090, tftp: 69 } as const;

// biome-ignore lint/suspicious/noExplicitAny: settings are nested as in the configuration file
export type FileSettings = Record<string, any>;

export interface AttackedConductorOptions {
  /** As in the configuration file, such as `{ api: { auth: 'http_basic' } }`; merged over the ones of this file. */
  readonly settings?: FileSettings;
  /** Environment besides PATH, such as INGOT_KEYSTONE_PASSWORD. */
  readonly env?: Readonly<Record<string, string>>;
  /** Agents may use the old protocol without TLS and proofs (`agent.allow_plaintext`, if there is such a setting). */
  readonly plaintextAgents?: boolean;
  /** The compute façade listens, too. */
  readonly compute?: boolean;
  /** The provisioning listener (HTTP boot and TFTP, no DHCP) on 127.0.0.1. */
  readonly loopback?: boolean;
  /** Hosts on the provisioning network, by name. Needs root. */
  readonly hosts?: Readonly<Record<string, HostSpec>>;
}

export interface AttackedHost extends LanHost {
  /** A request to the conductor's provisioning listener, from this host. */
  readonly call: HttpCall;
}

export interface AttackedConductor extends AsyncDisposable {
  /** URLs as seen by the conductor's own host; null if there is no such listener. */
  readonly apiUrl: string;
  readonly facadeUrl: string | null;
  readonly provisioningUrl: string | null;
  /** Port of TFTP, with `loopback` or `hosts`. */
  readonly tftpPort: number;
  /** Everything below is in it. */
  readonly dir: string;
  readonly dataDir: string;
  readonly configPath: string;
  /** Has `vmlinuz` and `ramdisk.img`; files may be added. */
  readonly ramdiskDir: string;
  /** `tftp.root`; has `undionly.kpxe` and `snponly.efi`. */
  readonly tftpRoot: string;
  /** Directory from which `file://` images may be read. */
  readonly imageDir: string;
  readonly pid: number;
  /** A request to the operators' API with the newest microversion. */
  readonly api: HttpCall;
  /** A request to the compute façade. */
  readonly facade: HttpCall;
  /** A request to the provisioning listener from the conductor's own host. */
  readonly provisioning: HttpCall;
  /** Makes nodes and waits for their states. */
  readonly operator: Operator;
  /** A node of fake hardware with a port; `verbs` bring it into a state. */
  fakeNode(fields?: object, verbs?: readonly ('manage' | 'provide')[]): Promise<Made>;
  /**
   * A node that waits for its agent: `wait call-back`, `inspect wait` or `clean wait`. Its power is fake; boot, deploy
   * and inspection are the real ones. Needs `loopback` or `hosts`.
   */
  nodeAwaitingAgent(operation: AgentOperation, options?: AwaitingNode): Promise<Made>;
  /** One of `hosts`; `conductor` is its own namespace. */
  host(name: string): AttackedHost;
  /** All it has logged, also before a restart. */
  log(): Promise<string>;
  /** Lines of the log that contain these words. */
  logged(words: string): Promise<string[]>;
  residentMiB(): Promise<number>;
  isRunning(): boolean;
  /** Sends a signal. */
  signal(name: NodeJS.Signals): void;
  /** Stops it with SIGTERM; returns the milliseconds that took. Throws if it does not end. */
  stop(): Promise<number>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Starts it after `stop` or `kill`, on the same data. Given settings are merged into the configuration file. */
  start(settings?: FileSettings): Promise<void>;
}

export async function startAttackedConductor(
  options: AttackedConductorOptions = {},
): Promise<AttackedConductor> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-attack-'));
  const places = await makePlaces(dir);
  const lan = options.hosts === undefined ? null : await createLan(dir, options.hosts);
  const listens = lan !== null || options.loopback === true;
  const ports = lan === null ? await freePorts() : LAN_PORTS;
  const base = baseSettings(options, places, ports);
  let settings = merged(base, options.settings ?? {});
  let child: ChildProcess | undefined;

  const scheme = options.settings?.['api']?.tls === undefined ? 'http' : 'https';
  const urls = {
    api: `${scheme}://127.0.0.1:${ports.api}`,
    compute: `${scheme}://127.0.0.1:${ports.compute}`,
    boot: `http://${lan === null ? '127.0.0.1' : LAN_ADDRESS}:${ports.boot}`,
  };
  const callTo = (url: string): HttpCall => {
    const { hostname, port } = new URL(url);
    return createHttpCaller(
      url,
      lan === null ? undefined : () => lan.conductor.socketTo(Number(port), hostname),
      { connect: { rejectUnauthorized: false } },
    );
  };
  const api = callTo(urls.api);
  const call = operatorCall(api);
  const operator = createOperator(call);

  async function start(more: FileSettings = {}): Promise<void> {
    settings = merged(settings, more);
    await writeFile(places.configPath, JSON.stringify(settings, null, 2));
    child = launch(lan, places, options.env ?? {});
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await log()).includes('ingot conductor is ready', started)) {
      if (!isRunning() || Date.now() > deadline)
        throw new Error(`the conductor did not start:\n${(await log()).slice(-4_000)}`);
      await sleep(POLL_MS);
    }
    started = (await log()).length;
  }
  let started = 0;
  const log = () => readFile(places.logPath, 'utf8');
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const pid = () => {
    if (child?.pid === undefined || !isRunning()) throw new Error('the conductor does not run');
    return child.pid;
  };

  async function stop(): Promise<number> {
    if (child === undefined || !isRunning()) return 0;
    const [gone, began] = [once(child, 'exit'), performance.now()];
    child.kill('SIGTERM');
    const ended = await Promise.race([gone, sleep(STOP_LIMIT_MS, null, { ref: false })]);
    if (ended !== null) return performance.now() - began;
    await kill();
    throw new Error(`the conductor did not stop within ${STOP_LIMIT_MS / 1_000} s of SIGTERM`);
  }
  async function kill(): Promise<void> {
    if (child === undefined || !isRunning()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  async function dispose(): Promise<void> {
    await kill();
    await lan?.close();
    await rm(dir, { recursive: true, force: true });
  }

  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    ...places,
    apiUrl: urls.api,
    facadeUrl: options.compute === true ? urls.compute : null,
    provisioningUrl: listens ? urls.boot : null,
    tftpPort: ports.tftp,
    get pid() {
      return pid();
    },
    api,
    facade: callTo(urls.compute),
    provisioning: callTo(urls.boot),
    operator,
    fakeNode: (fields = {}, verbs = []) => operator.make({ fields: { ...fields }, port: true, verbs }),
    nodeAwaitingAgent: (operation, more = {}) =>
      makeNodeAwaitingAgent({ operator, api, imageDir: places.imageDir }, operation, more),
    host(name) {
      if (lan === null) throw new Error('there are no hosts without a provisioning network');
      const host = name === 'conductor' ? lan.conductor : lan.host(name);
      return { ...host, call: createHttpCaller(urls.boot, () => host.socketTo(ports.boot)) };
    },
    log,
    logged: async (words) => (await log()).split('\n').filter((line) => line.includes(words)),
    async residentMiB() {
      const status = await readFile(`/proc/${pid()}/status`, 'utf8');
      return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1_024;
    },
    isRunning,
    signal: (name) => process.kill(pid(), name),
    stop,
    kill,
    start,
    [Symbol.asyncDispose]: dispose,
  };
}

export type { AgentOperation, HttpAnswer, HttpCall };

interface Places {
  readonly dir: string;
  readonly dataDir: string;
  readonly configPath: string;
  readonly logPath: string;
  readonly ramdiskDir: string;
  readonly tftpRoot: string;
  readonly imageDir: string;
}

async function makePlaces(dir: string): Promise<Places> {
  const [ramdiskDir, tftpRoot, imageDir] = [join(dir, 'ramdisk'), join(dir, 'tftp'), join(dir, 'images')];
  for (const path of [ramdiskDir, tftpRoot, imageDir]) await mkdir(path);
  for (const name of ['vmlinuz', 'ramdisk.img'])
    await writeFile(join(ramdiskDir, name), Buffer.alloc(1_000_000, name));
  for (const name of ['undionly.kpxe', 'snponly.efi'])
    await writeFile(join(tftpRoot, name), Buffer.alloc(100_000, name));
  const logPath = join(dir, 'ingot.log');
  await writeFile(logPath, '');
  return {
    dir,
    dataDir: join(dir, 'data'),
    configPath: join(dir, 'ingot.yaml'),
    logPath,
    ramdiskDir,
    tftpRoot,
    imageDir,
  };
}

type Ports = Readonly<Record<'api' | 'compute' | 'boot' | 'bootTls' | 'tftp', number>>;

async function freePorts(): Promise<Ports> {
  const free = await Promise.all(Array.from({ length: 5 }, freePort));
  const [api = 0, compute = 0, boot = 0, bootTls = 0, tftp = 0] = free;
  return { api, compute, boot, bootTls, tftp };
}

const REFERENCE = resolve(fileURLToPath(import.meta.url), '../../../docs/configuration.md');
/** Attack tests also run on older conductors, to show that they fail there. */
export const knowsSetting = (name: string): boolean =>
  readFileSync(REFERENCE, 'utf8').includes(`### ${name}\n`);

function baseSettings(options: AttackedConductorOptions, places: Places, ports: Ports): FileSettings {
  const { loopback = false, hosts, compute = false, plaintextAgents = false } = options;
  const allowsPlaintext = plaintextAgents && knowsSetting('agent.allow_plaintext');
  return {
    data_dir: places.dataDir,
    api: { listen: `127.0.0.1:${ports.api}` },
    images: { file_allow: [places.imageDir] },
    boot: {
      port: ports.boot,
      ramdisk_dir: places.ramdiskDir,
      ...(knowsSetting('boot.tls_port') && { tls_port: ports.bootTls }),
    },
    tftp: { root: places.tftpRoot, port: ports.tftp },
    ...(hosts !== undefined && { interface: LAN_INTERFACE }),
    ...(hosts === undefined && loopback && { interface: 'lo', dhcp: { mode: 'off' } }),
    ...(allowsPlaintext && { agent: { allow_plaintext: true } }),
    ...(compute && { compute: { listen: `127.0.0.1:${ports.compute}` } }),
  };
}

function launch(lan: Lan | null, places: Places, more: Readonly<Record<string, string>>): ChildProcess {
  const command = [process.execPath, NODE_FLAG, PROGRAM, 'serve', '--config', places.configPath];
  const env = { PATH: process.env['PATH'] ?? '', ...more };
  const setpriv = ['--pdeathsig', 'KILL'];
  const inNamespace = lan === null ? [] : ['ip', 'netns', 'exec', lan.namespace];
  return startProcess({
    file: 'setpriv',
    args: [...setpriv, ...inNamespace, ...command],
    env,
    logPath: places.logPath,
  });
}

function merged(base: FileSettings, over: FileSettings): FileSettings {
  const isTable = (value: unknown): value is FileSettings =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const result = { ...base };
  for (const [key, value] of Object.entries(over)) {
    result[key] = isTable(value) && isTable(result[key]) ? merged(result[key], value) : value;
  }
  return result;
}
