/**
 * How long a conductor takes to deploy a thousand fake nodes at once, on a file with every write flushed.
 *
 *   node test/bench/deploys.ts [nodes] [budget in seconds]
 *
 * Enrolling, manage and provide come first and are shown beside it. Ends with 1 when the deploys take longer
 * than the budget (10 s for 1,000 on two cores).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvisionState } from '@ingot/conductor/domain/states.ts';
import type { Verb } from '@ingot/conductor/domain/verbs.ts';
import { type EngineRig, startEngineRig } from '../fakes/engine-rig.ts';

const LOOK_MS = 20;
const PAGE = { limit: 1_000, sortKey: 'id', sortDir: 'asc' } as const;

const nodes = Number(process.argv[2] ?? 1_000);
const budgetSeconds = Number(process.argv[3] ?? 10);
const directory = mkdtempSync(join(tmpdir(), 'ingot-deploys-'));
const seconds: Record<string, number> = {};
try {
  await using rig = await startEngineRig({
    path: join(directory, 'deploys.db'),
    settings: { lockQueueMs: 60_000 },
  });
  const uuids = await timed('enroll', () => Promise.all(Array.from({ length: nodes }, () => rig.enroll())));
  await timed('manage', () => all(rig, uuids, 'manage', 'manageable'));
  await timed('provide', () => all(rig, uuids, 'provide', 'available'));
  await timed('deploy', () => all(rig, uuids, 'active', 'active'));
  await timed('undeploy', () => all(rig, uuids, 'deleted', 'available'));
} finally {
  rmSync(directory, { recursive: true });
}
console.log(`${nodes} fake nodes at once, log flushed before every answer`);
console.table(
  Object.entries(seconds).map(([what, took]) => ({
    what,
    seconds: took.toFixed(2),
    'nodes/s': Math.round(nodes / took),
  })),
);
if (seconds['deploy']! > budgetSeconds) {
  console.error(`deploys took ${seconds['deploy']!.toFixed(2)} s, the budget is ${budgetSeconds} s`);
  process.exitCode = 1;
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  seconds[what] = (performance.now() - started) / 1000;
  return result;
}

async function all(rig: EngineRig, uuids: readonly string[], verb: Verb, state: ProvisionState) {
  await Promise.all(uuids.map((uuid) => rig.engine.provision(uuid, { verb })));
  for (;;) {
    const there = await arrived(rig, state);
    if (there === uuids.length) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function arrived(rig: EngineRig, state: ProvisionState): Promise<number> {
  let count = 0;
  let marker: string | undefined;
  for (;;) {
    const page = await rig.store.nodes.list(
      { provisionState: state },
      { ...PAGE, ...(marker === undefined ? {} : { marker }) },
    );
    count += page.length;
    marker = page.at(-1)?.uuid;
    if (page.length < PAGE.limit) return count;
  }
}
