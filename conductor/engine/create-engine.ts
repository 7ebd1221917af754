/**
 * Creates and connects the parts of the engine.
 */
import { createAllocations } from './allocations.ts';
import type { EngineDeps } from './deps.ts';
import type { Engine } from './engine.ts';
import { createHardwareRegistry } from './hardware.ts';
import { createNodeLocks } from './locks.ts';
import { createNodeHardware } from './node-hardware.ts';
import { createNodeQueue } from './node-queue.ts';
import { createNodeRecords } from './node-records.ts';
import { createNodeWatch } from './node-watch.ts';
import type { EngineParts } from './parts.ts';
import { createPortRecords } from './port-records.ts';
import { runPowerSync } from './power-sync.ts';
import { createProvisioning } from './provisioning.ts';
import { recover } from './recovery.ts';
import { createRunner } from './runner.ts';

/** `start` recovers the work of an earlier conductor before new requests are accepted. */
export function createEngine(given: EngineDeps): Engine {
  const hardware = createHardwareRegistry(given.hardwareTypes);
  const watch = createNodeWatch();
  const locks = createNodeLocks({
    nodes: given.store.nodes,
    owner: given.settings.host,
    now: given.now,
    released: watch.changed,
  });
  const deps: EngineParts = { ...given, hardware, locks };
  const runner = createRunner(deps);
  const queue = createNodeQueue({ look: runner.advance, now: given.now, logger: given.logger });
  const waking = { ...deps, wake: queue.wake };
  const nodeHardware = createNodeHardware(deps);
  const { recover: recoverAllocations, close: closeAllocations, ...allocations } = createAllocations(deps);
  const background = new AbortController();
  let powerSync: Promise<void> = Promise.resolve();

  return {
    conductor: given.settings.host,
    conductorGroup: given.settings.conductorGroup,
    hardwareTypes: given.hardwareTypes,
    ...createNodeRecords(deps),
    ...createPortRecords(deps),
    ...allocations,
    ...createProvisioning(waking),
    ...nodeHardware,
    watchNode: watch.watch,
    wake: queue.wake,

    async start() {
      for (const nodeUuid of await recover(deps)) queue.wake(nodeUuid);
      await recoverAllocations();
      powerSync = runPowerSync(deps, background.signal);
    },

    async stop() {
      background.abort();
      await closeAllocations();
      // From here on no node is advanced. Interrupted work has not failed.
      const lookedAt = queue.stop();
      await locks.close();
      await Promise.all([lookedAt, nodeHardware.settle(), powerSync]);
    },
  };
}
