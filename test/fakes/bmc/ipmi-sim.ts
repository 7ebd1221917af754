/**
 * OpenIPMI's ipmi_sim on loopback, with two files as its machine: an independent BMC for protocol tests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SIM_USER = { username: 'admin', password: 'password' } as const;

export interface IpmiSim {
  readonly port: number;
  readonly process: ChildProcess;
  /** `power` ("0", "1") or `boot` ("pxe", ...), as last set by the control program. */
  chassis(parameter: 'power' | 'boot'): Promise<string | undefined>;
  /** Ends it at once, like a BMC that loses power. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface IpmiSimOptions {
  /** Default true. If false, the simulator runs no program per power query, which is faster; the machine stays off. */
  readonly machine?: boolean;
}

export async function startIpmiSim({ machine = true }: IpmiSimOptions = {}): Promise<IpmiSim> {
  const dir = await mkdtemp(join(tmpdir(), 'ipmi-sim-'));
  const port = await freeUdpPort();
  await writeFile(join(dir, 'lan.conf'), lanConfiguration(dir, port, machine));
  await writeFile(join(dir, 'bmc.emu'), EMULATION);
  await writeFile(join(dir, 'power'), '0\n');
  await writeFile(join(dir, 'boot'), 'none\n');
  const sim = spawn('ipmi_sim', ['-c', 'lan.conf', '-f', 'bmc.emu', '-s', dir, '-n'], {
    cwd: dir,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(sim, 'spawn');
  await untilAnswering(port);

  async function kill(): Promise<void> {
    if (sim.exitCode !== null || sim.signalCode !== null) return;
    sim.kill('SIGKILL');
    await once(sim, 'exit');
  }
  return {
    port,
    process: sim,
    async chassis(parameter) {
      return (await readFile(join(dir, parameter), 'utf8')).trim();
    },
    kill,
    async stop() {
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function lanConfiguration(dir: string, port: number, machine: boolean): string {
  const auths = 'none md2 md5 straight';
  const control = `chassis_control "${program('sim-chassis.sh')} ${dir}"`;
  return `name "test"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 ${port}
    priv_limit admin
    allowed_auths_callback ${auths}
    allowed_auths_user ${auths}
    allowed_auths_operator ${auths}
    allowed_auths_admin ${auths}
    guid 00112233445566778899aabbccddeeff
    lan_config_program "${program('sim-lan.sh')}"
  endlan
  ${machine ? control : ''}
  startnow false
  user 1 false "" "test" user 10 ${auths}
  user 2 true "${SIM_USER.username}" "${SIM_USER.password}" admin 10 ${auths}
`;
}

const EMULATION = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02
sel_enable 0x20 1000 0x0a
mc_enable 0x20
`;

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

/** An ASF presence ping is cheap for the simulator and is answered as soon as it runs. */
const PRESENCE_PING = Buffer.from('0600ff06000011be80000000', 'hex');
const START_TRIES = 100;
const START_PAUSE_MS = 50;

async function untilAnswering(port: number): Promise<void> {
  const socket = createSocket('udp4');
  const answered = Promise.withResolvers<boolean>();
  socket.on('message', () => answered.resolve(true));
  socket.on('error', () => undefined);
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  try {
    for (let n = 0; n < START_TRIES; n++) {
      socket.send(PRESENCE_PING);
      const pause = new Promise<boolean>((resolve) => setTimeout(resolve, START_PAUSE_MS, false));
      if (await Promise.race([answered.promise, pause])) return;
    }
    throw new Error('ipmi_sim did not start to answer');
  } finally {
    socket.close();
  }
}
