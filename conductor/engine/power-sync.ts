/**
 * Power sync: compares the power states that BMCs report with the recorded ones, in the background.
 *
 * It skips a locked node, so it never makes a user's call fail. A BMC that does not answer several times in a row
 * puts the node into maintenance with `fault: power failure`; when it answers again, both are removed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import { isIn } from '../domain/states.ts';
import type { EngineParts } from './parts.ts';

const POWER_FAULT = 'power failure';
const ONE_BMC_MS = 60_000;

/** Runs until the signal aborts. */
export async function runPowerSync(deps: EngineParts, signal: AbortSignal): Promise<void> {
  const failures = new Map<string, number>();
  while (!signal.aborted) {
    try {
      await sleep(deps.settings.powerSyncIntervalMs, undefined, { signal });
      await sweep(deps, failures, signal);
    } catch (error) {
      if (signal.aborted) return;
      deps.logger.error({ err: error }, 'power sync failed; trying again at the next interval');
    }
  }
}

const isWanted = (node: Node): boolean =>
  !isIn('powerSyncSkipped', node.provisionState) &&
  node.holder === null &&
  node.targetPowerState === null &&
  (!node.maintenance || node.fault === POWER_FAULT);

export async function sweep(
  deps: EngineParts,
  failures: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  let marker: string | undefined;
  for (;;) {
    const page = {
      limit: 500,
      sortKey: 'id',
      sortDir: 'asc',
      ...(marker === undefined ? {} : { marker }),
    } as const;
    const nodes = await deps.store.nodes.list({}, page);
    const queue = nodes.filter(isWanted);
    const workers = Array.from({ length: deps.settings.powerSyncWorkers }, async () => {
      for (let node = queue.shift(); node && !signal.aborted; node = queue.shift())
        await syncOne(deps, failures, node);
    });
    await Promise.all(workers);
    marker = nodes.at(-1)?.uuid;
    if (nodes.length < page.limit || signal.aborted) return;
  }
}

async function syncOne(deps: EngineParts, failures: Map<string, number>, { uuid }: Node): Promise<void> {
  try {
    await deps.locks.hold(
      uuid,
      { purpose: 'power sync', deadlineMs: ONE_BMC_MS, queueMs: 0 },
      async (signal) => {
        const node = await deps.store.nodes.find(uuid);
        if (node === undefined || !isWanted({ ...node, holder: null })) return;
        await compare(deps, failures, node, signal);
      },
    );
  } catch (error) {
    // Busy nodes are checked in the next sweep; some are deleted during this one.
    if (error instanceof IngotError && (error.family === 'busy' || error.code === 'notFound')) return;
    deps.logger.warn({ err: error, node: uuid }, 'power sync of a node failed');
  }
}

async function compare(
  deps: EngineParts,
  failures: Map<string, number>,
  node: Node,
  signal: AbortSignal,
): Promise<void> {
  const { store } = deps;
  const hardware = deps.hardware.of(node);
  try {
    const actual = await hardware.power.getPowerState({ node, ports: [], signal, now: deps.now });
    failures.delete(node.uuid);
    const healed =
      node.fault === POWER_FAULT ? { maintenance: false, maintenanceReason: null, fault: null } : {};
    if (actual !== node.powerState || node.fault === POWER_FAULT) {
      deps.logger.info({ node: node.uuid, was: node.powerState, is: actual }, 'power state recorded');
      await store.nodes.update(node.uuid, { powerState: actual, ...healed }, deps.now());
    }
    await noteHealth(deps, node, signal);
  } catch (error) {
    const count = (failures.get(node.uuid) ?? 0) + 1;
    failures.set(node.uuid, count);
    if (count <= deps.settings.powerSyncMaxFailures || node.maintenance) return;
    const text = `During power sync the BMC did not answer ${count} times in a row: ${error instanceof Error ? error.message : error}`;
    await store.nodes.update(
      node.uuid,
      { maintenance: true, maintenanceReason: text, fault: POWER_FAULT, lastError: text },
      deps.now(),
    );
  }
}

/** The BMC has just answered, so this query is cheap. A missing value is not a failure. */
async function noteHealth(deps: EngineParts, node: Node, signal: AbortSignal): Promise<void> {
  const { management } = deps.hardware.of(node);
  if (management.health === undefined) return;
  try {
    const health = await management.health({ node, ports: [], signal, now: deps.now });
    if (health !== node.health) await deps.store.nodes.update(node.uuid, { health }, deps.now());
  } catch (error) {
    deps.logger.warn({ err: error, node: node.uuid }, 'the health of a node could not be read');
  }
}
