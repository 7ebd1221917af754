/**
 * Compares the REST API with that of real Ironic, both measured in the same run on the same machine.
 *
 *   node test/bench/api.ts            everything: 1, 16 and 64 connections on 1,000 and 10,000 nodes, about 25
 * minutes
 *   node test/bench/api.ts --quick    16 connections on 1,000 nodes, about 2 minutes
 *   ... --ours                        without Ironic
 *   ... --only REGEXP                 figures whose name matches; tokens for `heartbeat` come from `lookup, first of
 * a boot`
 *
 * Real Ironic is Debian's package (ironic-api and ironic-conductor in one process, no broker) on SQLite with
 * synchronous writes off, so unlike ours its answers wait for no flush. Nodes beyond the first are copied into both
 * databases. Budgets are in budgets.json; the exit code is 1 when one is missed. Run it on an otherwise idle machine:
 * our server and the load generator need a core each.
 */

import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { budgets } from './budgets.ts';
import { deploySeconds } from './fake-deploys.ts';
import { enrolFirst, grow } from './fleet.ts';
import { startLoadGenerator } from './load.ts';
import { measure, median, runWindow } from './measure.ts';
import { createReport } from './report.ts';
import { SCENARIOS, type Side } from './scenarios.ts';
import { residentMib, type Subject, startIronicSubject, startOurSubject } from './subject.ts';

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    ours: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

const FULL = {
  ...{ sizes: [1_000, 10_000], connections: [1, 16, 64], windows: { count: 3, ms: 1_500 } },
  ...{ starts: 5, deploys: { ours: 1_000, ironic: 50 } },
};
const QUICK = {
  ...{ sizes: [1_000], connections: [16], windows: { count: 2, ms: 1_000 } },
  ...{ starts: 3, deploys: { ours: 1_000, ironic: 20 } },
};
const plan = asked.quick ? QUICK : FULL;
const scenarios = SCENARIOS.filter(({ name }) => new RegExp(asked.only).test(name));
const IDLE_MS = 2_000;
const WARM_UP = { connections: 16, ms: 3_000 };

const report = createReport();
const load = startLoadGenerator();
const sides: Side[] = [];

async function addSide(subject: Subject): Promise<void> {
  sides.push({ subject, fleet: { uuids: [], macs: [] }, created: [], tokens: new Map() });
}

/** Starts our server a few times, each time on an empty directory; the last one keeps running. */
async function startOurs(): Promise<{ startMs: number; idleMib: number }> {
  const starts: Subject[] = [];
  const idle: number[] = [];
  for (let n = 0; n < plan.starts; n += 1) {
    await starts.at(-1)?.stop();
    const subject = await startOurSubject();
    starts.push(subject);
    await sleep(IDLE_MS);
    idle.push(residentMib(subject));
  }
  await addSide(starts.at(-1)!);
  return { startMs: median(starts.map(({ startMs }) => startMs)), idleMib: median(idle) };
}

const systemLoad = () =>
  `load ${loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')}`;

try {
  console.log(`${systemLoad()}; ours durable, Ironic on SQLite without flushes\n`);
  const { startMs, idleMib } = await startOurs();
  if (!asked.ours) await addSide(await startIronicSubject());
  const [ours, ironic] = sides as [Side, Side?];
  report.head();
  report.limit('start to first answer', 'ms', startMs, ironic?.subject.startMs, budgets.startMs);
  const ironicMib = ironic && residentMib(ironic.subject);
  report.limit('resident idle', 'MiB', idleMib, ironicMib, budgets.residentIdleMib);

  for (const side of sides) side.fleet = await enrolFirst(side.subject);
  for (const size of plan.sizes) {
    for (const side of sides) side.fleet = grow(side.subject, side.fleet, size);
    for (const scenario of scenarios) {
      for (const side of sides) await runWindow(load, scenario, side, WARM_UP.connections, WARM_UP.ms);
      for (const connections of plan.connections) {
        const [our, theirs] = await measure(load, scenario, sides, connections, plan.windows);
        report.row(scenario.name, connections, size, our!, theirs);
      }
    }
    console.log(`${systemLoad()}\n`);
  }
  if (plan.sizes.includes(10_000)) {
    const theirs = ironic && residentMib(ironic.subject);
    const name = 'resident, 10,000 nodes';
    report.limit(name, 'MiB', residentMib(ours.subject), theirs, budgets.resident10000NodesMib);
  }
  const seconds = (side: Side | undefined) =>
    side &&
    deploySeconds(load, side.subject, plan.deploys[side.subject.name]).then(
      (took) => (took / plan.deploys[side.subject.name]) * 1_000,
    );
  const ourSeconds = (await seconds(ours))!;
  report.limit('1,000 deploys', 's', ourSeconds, await seconds(ironic), budgets.thousandDeploysSeconds);
  if (report.missed.length > 0) {
    console.log(`\nmissed: ${report.missed.join('; ')}`);
    process.exitCode = 1;
  }
} finally {
  load.stop();
  for (const { subject } of sides) await subject.stop();
}
