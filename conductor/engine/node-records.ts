/**
 * Creates, changes and deletes nodes, each under the node's lock.
 */
import { IngotError } from '../domain/errors.ts';
import { checkInstanceArguments } from '../domain/kernel-arguments.ts';
import { checkNetworkData } from '../domain/network-data.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { checkDeletable, checkDriverChange, settlePatch } from '../domain/node-rules.ts';
import { checkRootDevice } from '../domain/root-device.ts';
import type { Store } from '../domain/store/store.ts';
import { checkParent } from './child-nodes.ts';
import type { Engine } from './engine.ts';
import { newUuid } from './identifiers.ts';
import { createNodeHold } from './node-hold.ts';
import type { EngineParts } from './parts.ts';

type NodeRecords = Pick<Engine, 'withNode' | 'createNode' | 'updateNode' | 'deleteNode' | 'setMaintenance'>;

export function createNodeRecords(deps: EngineParts): NodeRecords {
  const { store, settings } = deps;

  const holding = createNodeHold(deps);

  /**
   * A changed driver or interface must exist. After a change of the driver, interfaces that it does not have get its
   * defaults.
   */
  function withInterfaces(node: Node, patch: NodePatch, reset: boolean): NodePatch {
    if (patch.driver === undefined && patch.interfaces === undefined) return patch;
    checkDriverChange(node, patch);
    const driver = patch.driver ?? node.driver;
    const interfaces = deps.hardware.choose(driver, reset ? {} : { ...node.interfaces, ...patch.interfaces });
    return { ...patch, interfaces };
  }

  /** Removing the instance from the node deletes its allocation, which no other instance can use. */
  function releasingAllocation(
    allocation: string,
    { instanceUuid }: NodePatch,
    write: (tx: Store) => Promise<Node>,
  ): Promise<Node> {
    if (instanceUuid !== null) {
      throw new IngotError(
        'conflict',
        `The node has the allocation ${allocation}: "instance_uuid" can only be taken away, which ends the allocation.`,
      );
    }
    return store.transaction(async (tx) => {
      const written = await write(tx);
      await tx.allocations.delete(allocation);
      return { ...written, allocationUuid: null };
    });
  }

  /** No conductor would ever serve a node of an unknown group. */
  function checkGroup(group: string | undefined): void {
    if (group === undefined || group === settings.conductorGroup) return;
    throw new IngotError(
      'invalidParameter',
      `No valid host was found: no conductor serves the conductor group "${group}". This one serves "${settings.conductorGroup}" (setting conductor_group).`,
    );
  }

  return {
    withNode: holding,

    async createNode(request) {
      const interfaces = deps.hardware.choose(request.driver, request.interfaces);
      const { uuid = newUuid(), driver, fields } = request;
      checkRootDevice(fields);
      checkInstanceArguments(fields.instanceInfo);
      checkNetworkData(fields.networkData);
      checkGroup(fields.conductorGroup);
      await checkParent(store.nodes, uuid, fields.parentNode);
      return store.nodes.create(
        { provisionState: 'enroll', ...fields, uuid, driver, interfaces },
        deps.now(),
      );
    },

    updateNode: (uuid, purpose, change, options = {}) =>
      holding(uuid, purpose, async (node) => {
        const wanted = withInterfaces(node, change(node), options.resetInterfaces === true);
        const patch = settlePatch(node, wanted);
        checkRootDevice(patch);
        checkInstanceArguments(patch.instanceInfo);
        checkNetworkData(patch.networkData);
        checkGroup(patch.conductorGroup);
        await checkParent(store.nodes, uuid, patch.parentNode);
        if (Object.keys(patch).length === 0) return node;
        if (patch.instanceUuid === undefined || node.allocationUuid === null) {
          return store.nodes.update(uuid, patch, deps.now());
        }
        return releasingAllocation(node.allocationUuid, patch, (tx) =>
          tx.nodes.update(uuid, patch, deps.now()),
        );
      }),

    async deleteNode(uuid) {
      await holding(uuid, 'delete node', async (node) => {
        checkDeletable(node);
        await store.nodes.delete(uuid);
      });
      deps.logger.info({ node: uuid }, 'node deleted');
    },

    async setMaintenance(uuid, { on, reason }) {
      await holding(uuid, 'maintenance', () =>
        store.nodes.update(
          uuid,
          on
            ? { maintenance: true, maintenanceReason: reason ?? null }
            : { maintenance: false, maintenanceReason: null, fault: null },
          deps.now(),
        ),
      );
    },
  };
}
