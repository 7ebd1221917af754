/**
 * The scheduler over many host states with its default filters and weighers. When Debian's python3-nova is installed,
 * compares it with Nova's own filters and weighers on the same hosts and request in the same run; both must select
 * the same hosts. Runs that were interrupted by other processes are left out. Prints a table; the exit code is 1 when
 * a budget is missed.
 *
 * Usage: node test/bench/scheduler.ts [our runs, 300] [Nova's runs, 5]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HostState } from '../../conductor/scheduler/host-state.ts';
import { randomFrom } from '../../conductor/scheduler/random.ts';
import { type InstanceRequest, parseRequest } from '../../conductor/scheduler/request-spec.ts';
import { select } from '../../conductor/scheduler/select.ts';
import { DEFAULT_SETTINGS, planOf } from '../../conductor/scheduler/settings.ts';
import { budgets } from './budgets.ts';
import { createReport } from './report.ts';
import { nodesOf, statesOf } from './scheduler-fleet.ts';

const [ourRuns = 300, novaRuns = 5] = process.argv.slice(2).map(Number);
const SEED = 1;
const WARM_UP_RUNS = 100;
const MOST_TRIES = 10;
const NOVA_LIMIT_MS = 600_000;
const COUNTS = [1, 20] as const;
const { hosts: hostCount, selectP99Ms } = budgets.scheduler;

const EXTRA_SPECS = { 'capabilities:boot_mode': 'uefi', 'capabilities:gpus': '>= 2' };
const IMAGE_PROPERTIES = { hw_architecture: 'x86_64' };
const ZONE = 'az-1';
/**
 * Nova's option -> the multiplier for both. Weighers that Nova does not have are off, so that the selections can be
 * compared.
 */
const NOVA_MULTIPLIERS = { ram_weight_multiplier: -1, disk_weight_multiplier: -1, cpu_weight_multiplier: -1 };
const COMPARED = planOf({
  ...DEFAULT_SETTINGS,
  multipliers: { ImageCachedWeigher: 0, LeastRecentlyUsedWeigher: 0 },
});

interface NovaResult {
  readonly ms: readonly number[];
  readonly chosen: readonly string[];
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN;

function request(count: number): InstanceRequest {
  return {
    instanceUuids: Array.from({ length: count }, (_, n) => `instance-${n}`),
    flavor: {
      vcpus: 1,
      ramMb: 1_024,
      rootGb: 10,
      ephemeralGb: 0,
      swapMb: 0,
      extraSpecs: EXTRA_SPECS,
    },
    image: { uuid: 'image', properties: IMAGE_PROPERTIES },
    availabilityZone: ZONE,
  };
}

function runOurs(hosts: readonly HostState[], count: number, plan = planOf(DEFAULT_SETTINGS)) {
  const parsed = parseRequest(request(count));
  if (!parsed.ok) throw new Error(parsed.reason);
  return select(hosts, parsed.value, plan, randomFrom(SEED));
}

interface Timed {
  readonly ms: readonly number[];
  /** Number of runs that are not counted because another process used the processor during them. */
  readonly interrupted: number;
}

/** How often this thread was preempted; undefined when the system does not report it. */
function interruptions(): string | undefined {
  try {
    return /^nonvoluntary_ctxt_switches:\s*(\d+)/m.exec(
      readFileSync('/proc/thread-self/status', 'utf8'),
    )?.[1];
  } catch {
    return undefined;
  }
}

/** Collects the requested number of uninterrupted runs; on a busy machine it returns those that it got. */
function timeOurs(hosts: readonly HostState[], count: number): Timed {
  const plan = planOf(DEFAULT_SETTINGS);
  for (let run = 0; run < WARM_UP_RUNS; run++) runOurs(hosts, count, plan);
  const ms: number[] = [];
  let runs = 0;
  while (ms.length < ourRuns && runs < ourRuns * MOST_TRIES) {
    runs++;
    const before = interruptions();
    const began = performance.now();
    runOurs(hosts, count, plan);
    const took = performance.now() - began;
    if (interruptions() === before) ms.push(took);
  }
  return { ms, interrupted: runs - ms.length };
}

/** Undefined, after a message with the reason, when Nova can not run. */
function runNova(hosts: readonly HostState[]): Readonly<Record<string, NovaResult>> | undefined {
  const python = '/usr/bin/python3';
  const probe = spawnSync(python, ['-c', 'import nova.scheduler.filters']);
  if (probe.status !== 0) {
    console.log("Nova's figures are left out: python3-nova is not installed (apt-get install python3-nova).");
    return undefined;
  }
  const input = JSON.stringify({
    hosts: hosts.map(({ stats, supportedInstances, availabilityZone, ...host }) => ({
      ...host,
      stats: Object.fromEntries(stats),
      supported: supportedInstances.map((one) => [one.architecture, one.hypervisorType, one.vmMode]),
      zone: availabilityZone,
    })),
    extra_specs: EXTRA_SPECS,
    image_properties: IMAGE_PROPERTIES,
    availability_zone: ZONE,
    counts: COUNTS,
    runs: novaRuns,
    multipliers: NOVA_MULTIPLIERS,
  });
  const script = fileURLToPath(new URL('nova-scheduler.py', import.meta.url));
  const { status, stdout, stderr } = spawnSync(python, [script], {
    input,
    encoding: 'utf8',
    timeout: NOVA_LIMIT_MS,
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`Nova's scheduler failed: ${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}

const nodes = nodesOf(hostCount, SEED);
const began = performance.now();
const hosts = statesOf(nodes);
console.log(`${hostCount} host states made from nodes in ${(performance.now() - began).toFixed(0)} ms`);
const [passed] = [runOurs(hosts, 1)].map(({ trace }) => hostCount - trace.removals().length);
console.log(
  `request: ${passed} hosts pass the filters; figure, ours, Nova's (filters and weighers only), ratio`,
);

const nova = runNova(hosts);
const report = createReport();
for (const count of COUNTS) {
  const times = timeOurs(hosts, count);
  const theirs = nova?.[count];
  console.log(
    `  select ${count}: p50 ${quantile(times.ms, 0.5).toFixed(2)} ms, ${times.interrupted} interrupted runs left out`,
  );
  const novaP99 = theirs && quantile(theirs.ms, 0.99);
  report.limit(`select ${count}, p99`, 'ms', quantile(times.ms, 0.99), novaP99, selectP99Ms[count]);
  if (theirs === undefined) continue;
  const chosen = runOurs(hosts, count, COMPARED).selections?.map(({ destination }) => destination.nodename);
  if (JSON.stringify(chosen) !== JSON.stringify(theirs.chosen)) {
    throw new Error(`the choices differ: ours ${chosen?.join(' ')}, Nova's ${theirs.chosen.join(' ')}`);
  }
  console.log(`  select ${count}: Nova chooses the same`);
}
if (report.missed.length > 0) process.exitCode = 1;
