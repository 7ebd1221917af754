/**
 * Allocations: a node of a resource class, chosen for the caller and claimed under its lock.
 *
 * A new allocation is stored as `allocating` and processed in the background, one after the other, also after a
 * restart. Node and allocation change in one transaction, so that they always refer to each other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { explainUnfit, inTurn, unfitFor } from '../domain/allocation.ts';
import { IngotError } from '../domain/errors.ts';
import { withTraits } from '../domain/instance-info.ts';
import type { Node } from '../domain/node.ts';
import type { Allocation, NewRecord } from '../domain/resources.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import type { Engine } from './engine.ts';
import type { EngineParts } from './parts.ts';

const SHORT_WORK_MS = 60_000;
/** How often locked nodes are tried again. */
const ROUNDS = 4;
const ROUND_MS = 1_000;

export interface Allocations extends Pick<Engine, 'allocate' | 'backfillAllocation' | 'deallocate'> {
  /** Continues the allocations of an earlier conductor. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export function createAllocations(deps: EngineParts): Allocations {
  const { store, locks, now, logger, settings } = deps;
  const closing = new AbortController();
  let line: Promise<unknown> = Promise.resolve();

  const enqueue = (uuid: string): void => {
    line = line
      .then(() => (closing.signal.aborted ? undefined : work(uuid)))
      .catch((error: unknown) => {
        // An allocation that a shutdown interrupts continues at the next start.
        if (!closing.signal.aborted) logger.error({ err: error, allocation: uuid }, 'allocation');
      });
  };

  async function work(uuid: string): Promise<void> {
    const allocation = await store.allocations.find(uuid);
    if (allocation?.state !== 'allocating') return;
    let wanted = inTurn(await fitting(store, allocation), allocation, Math.random);
    for (let round = 0; round < ROUNDS && wanted.length > 0; round++) {
      if (round > 0) await sleep(ROUND_MS, undefined, { signal: closing.signal });
      const locked: Node[] = [];
      for (const node of wanted) {
        const outcome = await take(node.uuid, allocation);
        if (outcome === 'taken') return;
        if (outcome === 'locked') locked.push(node);
      }
      wanted = locked;
    }
    const ofClass = await listAll(store.nodes, classFilter(allocation));
    const lastError = `Failed to process allocation ${uuid}: ${explainUnfit(ofClass, allocation)}`;
    await store.allocations.update(uuid, { state: 'error', lastError }, now());
  }

  async function take(nodeUuid: string, allocation: Allocation): Promise<'taken' | 'locked' | 'unfit'> {
    const hold = { purpose: 'allocation', deadlineMs: SHORT_WORK_MS, queueMs: 0 };
    try {
      return await locks.hold(nodeUuid, hold, async () => {
        const node = await store.nodes.find(nodeUuid);
        if (node === undefined || unfitFor(node, allocation) !== undefined) return 'unfit';
        await bind(node, allocation);
        return 'taken';
      });
    } catch (error) {
      if (error instanceof IngotError && error.code === 'nodeLocked') return 'locked';
      if ((await store.nodes.find(nodeUuid)) === undefined) return 'unfit';
      throw error;
    }
  }

  async function bind(node: Node, { uuid, traits }: Allocation): Promise<void> {
    await store.transaction(async (tx) => {
      await tx.nodes.update(
        node.uuid,
        {
          instanceUuid: uuid,
          allocationUuid: uuid,
          instanceInfo: withTraits(node.instanceInfo, traits),
        },
        now(),
      );
      await tx.allocations.update(uuid, { state: 'active', nodeUuid: node.uuid, lastError: null }, now());
    });
    logger.info({ node: node.uuid, allocation: uuid }, 'node allocated');
  }

  const holding = <T>(nodeUuid: string, purpose: string, run: (node: Node) => Promise<T>): Promise<T> =>
    locks.hold(nodeUuid, { purpose, deadlineMs: SHORT_WORK_MS, queueMs: settings.lockQueueMs }, async () => {
      return run(await store.nodes.get(nodeUuid));
    });

  return {
    async allocate(record) {
      const allocation = await store.allocations.create({ ...record, state: 'allocating' }, now());
      enqueue(allocation.uuid);
      return allocation;
    },

    backfillAllocation: (record, nodeUuid) =>
      holding(nodeUuid, 'allocation', async (node) => {
        checkBackfill(node, record);
        const allocation = { ...record, state: 'allocating', resourceClass: node.resourceClass } as const;
        return store.transaction(async (tx) => {
          const { uuid } = await tx.allocations.create(allocation, now());
          await tx.nodes.update(
            nodeUuid,
            {
              instanceUuid: uuid,
              allocationUuid: uuid,
              instanceInfo: withTraits(node.instanceInfo, record.traits ?? []),
            },
            now(),
          );
          return tx.allocations.update(uuid, { state: 'active', nodeUuid }, now());
        });
      }),

    async deallocate({ uuid, nodeUuid }) {
      if (nodeUuid === null) return store.allocations.delete(uuid);
      await holding(nodeUuid, 'deallocation', async (node) => {
        const busy = node.provisionState === 'active' || node.targetProvisionState !== null;
        if (busy && !node.maintenance) {
          throw new IngotError(
            'conflict',
            `Allocation ${uuid} is in use: node ${nodeUuid} is ${node.provisionState}. Undeploy the node first.`,
          );
        }
        const instanceInfo = withTraits(node.instanceInfo, null);
        await store.transaction(async (tx) => {
          await tx.nodes.update(nodeUuid, { instanceUuid: null, allocationUuid: null, instanceInfo }, now());
          await tx.allocations.delete(uuid);
        });
      });
    },

    async recover() {
      for (const { uuid } of await listAll(store.allocations, { state: 'allocating' })) enqueue(uuid);
    },

    async close() {
      closing.abort();
      await line;
    },
  };
}

/** Available nodes without an instance that fit the allocation. */
async function fitting(store: Store, allocation: Allocation): Promise<Node[]> {
  const free = { provisionState: 'available', associated: false, maintenance: false } as const;
  const nodes = await listAll(store.nodes, { ...classFilter(allocation), ...free });
  return nodes.filter((node) => unfitFor(node, allocation) === undefined);
}

const classFilter = ({ resourceClass }: Allocation) => (resourceClass === null ? {} : { resourceClass });

/** For an instance that exists before its allocation. */
function checkBackfill(node: Node, { uuid, resourceClass, traits = [] }: NewRecord<Allocation>): void {
  const lacking = traits.filter((trait) => !node.traits.includes(trait));
  const reason =
    node.provisionState !== 'active'
      ? `it is ${node.provisionState}, not active`
      : node.allocationUuid !== null
        ? `it has the allocation ${node.allocationUuid}`
        : node.instanceUuid !== null && node.instanceUuid !== uuid
          ? `its instance_uuid is ${node.instanceUuid}; give that as the uuid of the allocation`
          : resourceClass != null && resourceClass !== node.resourceClass
            ? `its resource class is ${node.resourceClass}`
            : lacking.length > 0
              ? `it lacks the traits ${lacking.join(', ')}`
              : undefined;
  if (reason === undefined) return;
  throw new IngotError('conflict', `Node ${node.uuid} can not be given to allocation ${uuid}: ${reason}.`);
}
