/**
 * A lab: a network namespace with a bridge, virtual servers with ipmi_sim as their BMCs, and other programs inside.
 * `stop` ends everything that the lab has started, also after a crash of its owner.
 *
 * The bridge is 10.83.0.1/24 inside the namespace; BMCs listen on 127.0.0.1 there, from port 6230 on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Console, createConsole } from './console.ts';
import { BMC_PASSWORD, BMC_USER, type MachineFiles, type MachineSpec, writeMachine } from './machine.ts';
import { claimLab, endLab, sweepLabs } from './ownership.ts';

export const BRIDGE = 'br0';
const FIRST_BMC_PORT = 6230;
const REAPER = fileURLToPath(new URL('reaper.ts', import.meta.url));
const SOCKET_TIMEOUT_MS = 10_000;

export interface LabMachine extends MachineFiles {
  readonly name: string;
  readonly mac: string;
  readonly bmc: {
    readonly address: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
  };
  readonly console: Console;
  isRunning(): boolean;
}

export interface Lab {
  readonly dir: string;
  readonly namespace: string;
  machine(name: string): LabMachine;
  /** Starts a program inside the namespace; it ends with the lab. */
  spawn(
    file: string,
    args: readonly string[],
    options?: { logPath?: string; env?: Record<string, string> },
  ): ChildProcess;
  /** Runs a program inside the namespace to its end; does not throw for an exit code. */
  run(
    file: string,
    args: readonly string[],
    options?: { timeoutMs?: number; env?: Record<string, string> },
  ): Promise<{ code: number; output: string }>;
  /** Opens a unix socket outside of the namespace that leads to this port on its loopback interface. */
  socketTo(port: number): Promise<string>;
  stop(): Promise<void>;
}

/** `strangers`: number of further network cards on the bridge. */
export async function startLab(specs: readonly MachineSpec[], { strangers = 0 } = {}): Promise<Lab> {
  await sweepLabs();
  const dir = await claimLab();
  const namespace = basename(dir);
  const reaper = startReaper(dir);
  const children = new Set<ChildProcess>();

  const track = (child: ChildProcess): ChildProcess => {
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  const spawnInside: Lab['spawn'] = (file, args, options = {}) => {
    const log = options.logPath;
    const child = spawn('ip', ['netns', 'exec', namespace, file, ...args], {
      stdio: ['ignore', log === undefined ? 'ignore' : 'pipe', log === undefined ? 'ignore' : 'pipe'],
      env: { ...process.env, ...options.env },
    });
    if (log !== undefined) {
      const write = (chunk: Buffer): void => void appendLog(log, chunk);
      child.stdout?.on('data', write);
      child.stderr?.on('data', write);
    }
    return track(child);
  };

  async function stop(): Promise<void> {
    for (const child of children) child.kill('SIGTERM');
    const gone = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
    await Promise.race([Promise.all(gone), sleep(10_000)]);
    for (const child of children) child.kill('SIGKILL');
    await endLab(dir);
    reaper.kill();
  }

  try {
    await makeNetwork(namespace, specs.length + strangers);
    const machines = new Map<string, LabMachine>();
    for (const [index, spec] of specs.entries()) {
      const port = FIRST_BMC_PORT + index;
      const files = await writeMachine(join(dir, spec.name), spec, `tap${index}`, port);
      spawnInside(
        'ipmi_sim',
        [
          '-c',
          join(files.dir, 'lan.conf'),
          '-f',
          join(files.dir, 'bmc.emu'),
          '-s',
          join(files.dir, 'state'),
          '-d',
          '-n',
        ],
        {
          logPath: join(files.dir, 'ipmi_sim.log'),
        },
      );
      machines.set(spec.name, {
        ...files,
        name: spec.name,
        mac: spec.mac,
        bmc: { address: '127.0.0.1', port, username: BMC_USER, password: BMC_PASSWORD },
        console: createConsole(files.consolePath),
        isRunning: () => pidOf(files.dir) !== undefined,
      });
    }
    return {
      dir,
      namespace,
      spawn: spawnInside,
      machine(name) {
        const found = machines.get(name);
        if (found) return found;
        throw new Error(`the lab has no machine ${name}`);
      },
      async run(file, args, options = {}) {
        const done = await execa('ip', ['netns', 'exec', namespace, file, ...args], {
          reject: false,
          all: true,
          timeout: options.timeoutMs ?? 60_000,
          env: options.env ?? {},
        });
        return { code: done.exitCode ?? 1, output: String(done.all ?? '') };
      },
      async socketTo(port) {
        const path = join(dir, `port-${port}.sock`);
        spawnInside('socat', [`UNIX-LISTEN:${path},fork`, `TCP:127.0.0.1:${port}`]);
        const deadline = Date.now() + SOCKET_TIMEOUT_MS;
        while (!existsSync(path)) {
          if (Date.now() > deadline) throw new Error(`socat did not open ${path}`);
          await sleep(50);
        }
        return path;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The reaper has its own session, so that Ctrl-C does not reach it, and does not keep its owner running. */
function startReaper(dir: string): ChildProcess {
  const reaper = spawn(process.execPath, [REAPER, dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.unref();
  (reaper.stdin as Socket).unref();
  return reaper;
}

const logs = new Map<string, Promise<void>>();
/** Writes chunks of one log in order. */
function appendLog(path: string, chunk: Buffer): Promise<void> {
  const done = (logs.get(path) ?? Promise.resolve()).then(() => writeFile(path, chunk, { flag: 'a' }));
  const quiet = done.catch(() => undefined);
  logs.set(path, quiet);
  return quiet;
}

async function makeNetwork(namespace: string, machines: number): Promise<void> {
  const ip = (...args: string[]) => execa('ip', args);
  const inside = (...args: string[]) => execa('ip', ['-n', namespace, ...args]);
  await ip('netns', 'add', namespace);
  await inside('link', 'set', 'lo', 'up');
  await inside('link', 'add', BRIDGE, 'type', 'bridge');
  await inside('addr', 'add', '10.83.0.1/24', 'dev', BRIDGE);
  // While all machines are off, a bridge has no carrier and its address cannot be used. This cable gives it one; its far
  // end is a port of a bridge that is down, because a plain interface would receive every broadcast a second time.
  await inside('link', 'add', 'carrier0', 'type', 'veth', 'peer', 'name', 'carrier1');
  await inside('link', 'add', 'nowhere', 'type', 'bridge');
  await inside('link', 'set', 'carrier1', 'master', 'nowhere');
  await inside('link', 'set', 'carrier0', 'master', BRIDGE);
  for (const name of ['carrier0', 'carrier1', BRIDGE]) await inside('link', 'set', name, 'up');
  for (let index = 0; index < machines; index += 1) {
    await inside('tuntap', 'add', `tap${index}`, 'mode', 'tap');
    await inside('link', 'set', `tap${index}`, 'master', BRIDGE);
    await inside('link', 'set', `tap${index}`, 'up');
  }
}

/** The machine's QEMU process, if the pid really belongs to it. */
function pidOf(machineDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(machineDir, 'qemu.pid'), 'utf8'));
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(machineDir) ? pid : undefined;
  } catch {
    return undefined;
  }
}
