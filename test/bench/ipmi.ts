/**
 * Power status queries: our client with one kept session, our client with a session per query, and one ipmitool
 * process per query, all against the same ipmi_sim in the same run. Then a sweep over many fake BMCs. Prints a table.
 *
 * Usage: node test/bench/ipmi.ts [our queries, 5000] [ipmitool's queries, 40] [BMCs to sweep, 1000]
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IpmiAddress } from '../../conductor/bmc/ipmi/address.ts';
import { createIpmiClients } from '../../conductor/bmc/ipmi/clients.ts';
import { SIM_USER, startIpmiSim } from '../fakes/bmc/ipmi-sim.ts';
import { ipmiAddress } from '../fakes/bmc/test-ipmi.ts';

const [ours = 5_000, theirs = 40, bmcs = 1_000] = process.argv.slice(2).map(Number);
const MS_PER_TICK = 10;
/** Number of BMCs that the sweep queries at the same time. */
const SWEEP_WORKERS = 64;
const logger = { debug: () => undefined, warn: () => undefined };
const table: Record<string, object> = {};

/** User and system time of this process and of the children it has waited for (proc_pid_stat(5), fields 16 and 17). */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (user + system) / 1_000 + (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}

async function measure(way: string, queries: number, run: () => Promise<void>): Promise<void> {
  const [cpuBefore, began] = [cpuMs(), performance.now()];
  await run();
  const [ms, cpu] = [performance.now() - began, cpuMs() - cpuBefore];
  table[way] = {
    queries,
    'per second': Math.round((queries / ms) * 1_000),
    'wall ms each': Number((ms / queries).toFixed(2)),
    'client CPU ms each': Number((cpu / queries).toFixed(2)),
  };
}

async function inTurn(count: number, query: () => Promise<unknown> | unknown): Promise<void> {
  for (let n = 0; n < count; n++) await query();
}

const sim = await startIpmiSim({ machine: false });
const address: IpmiAddress = { ...ipmiAddress(sim.port, SIM_USER), cipherSuites: [3] };
try {
  const clients = createIpmiClients({ logger });
  const client = clients.for(address);
  await inTurn(200, () => client.getPowerState());
  await measure('ours, session kept', ours, () => inTurn(ours, () => client.getPowerState()));
  await clients.closeAll();

  const sessions = Math.ceil(ours / 10);
  await measure('ours, a session per query', sessions, () =>
    inTurn(sessions, async () => {
      const once = createIpmiClients({ logger });
      await once.for(address).getPowerState();
      await once.closeAll();
    }),
  );

  const login = [
    '-I',
    'lanplus',
    '-C',
    '3',
    '-H',
    '127.0.0.1',
    '-p',
    String(sim.port),
    '-U',
    SIM_USER.username,
  ];
  const env = { ...process.env, IPMI_PASSWORD: SIM_USER.password };
  await measure('ipmitool, a process per query', theirs, () =>
    inTurn(theirs, () => execFileSync('ipmitool', [...login, '-E', 'chassis', 'power', 'status'], { env })),
  );
} finally {
  await sim.stop();
}

const fleet = fork(new URL('ipmi-fleet.ts', import.meta.url), [String(bmcs)]);
try {
  const [ports] = (await once(fleet, 'message')) as [number[]];
  const clients = createIpmiClients({ logger });
  const addresses = ports.map((port) => ipmiAddress(port));
  const sweep = async () => {
    const left = addresses.values();
    const worker = async () => {
      for (const one of left) await clients.for(one).getPowerState();
    };
    await Promise.all(Array.from({ length: SWEEP_WORKERS }, worker));
  };
  await measure(`sweep of ${bmcs} BMCs, opening sessions`, bmcs, sweep);
  await measure(`sweep of ${bmcs} BMCs, sessions kept`, bmcs, sweep);
  await clients.closeAll();
} finally {
  fleet.kill();
}
console.table(table);
