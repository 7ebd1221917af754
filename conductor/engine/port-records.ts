/**
 * Creates, changes and deletes the ports of nodes, each under the node's lock.
 */
import { IngotError } from '../domain/errors.ts';
import type { Port, PortPatch } from '../domain/node.ts';
import { checkGroupNetwork, checkPortPatch } from '../domain/node-rules.ts';
import type { Engine } from './engine.ts';
import { createNodeHold } from './node-hold.ts';
import type { EngineParts } from './parts.ts';

type PortRecords = Pick<Engine, 'createPort' | 'updatePort' | 'deletePort'>;

const differs = (port: Port, patch: PortPatch, key: keyof PortPatch): boolean =>
  key in patch && patch[key] !== port[key];

export function createPortRecords(deps: EngineParts): PortRecords {
  const { store, now } = deps;
  const holding = createNodeHold(deps);

  /** Two ports of the group are enough: at most one of them is this port. */
  async function checkPortgroup(port: PortPatch & Pick<Port, 'uuid'>): Promise<void> {
    const { portgroupUuid } = port;
    if (portgroupUuid == null) return;
    const page = { limit: 2, sortKey: 'id', sortDir: 'asc' } as const;
    checkGroupNetwork(port, await store.ports.list({ portgroupUuid }, page));
  }

  /** A MAC address belongs to one port: the error names the owner. */
  async function namingOwner<T>({ address }: PortPatch, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof IngotError) || error.code !== 'conflict' || address === undefined) throw error;
      if (!error.message.includes(address)) throw error;
      const [owner] = await store.ports.list({ address }, { limit: 1, sortKey: 'id', sortDir: 'asc' });
      if (owner === undefined) throw error;
      throw new IngotError(
        'conflict',
        `${error.message} It is port ${owner.uuid} of node ${owner.nodeUuid}: delete that one first, or correct "address".`,
        { cause: error },
      );
    }
  }

  return {
    createPort: (port) =>
      holding(port.nodeUuid, 'create port', async () => {
        await checkPortgroup(port);
        return namingOwner(port, () => store.ports.create(port, now()));
      }),

    async updatePort(uuid, patch) {
      const { nodeUuid } = await store.ports.get(uuid);
      return holding(nodeUuid, 'update port', async (node) => {
        const port = await store.ports.get(uuid);
        checkPortPatch(node, port, patch);
        if (differs(port, patch, 'portgroupUuid') || differs(port, patch, 'physicalNetwork'))
          await checkPortgroup({ ...port, ...patch });
        return namingOwner(patch, () => store.ports.update(uuid, patch, now()));
      });
    },

    async deletePort(uuid) {
      const { nodeUuid } = await store.ports.get(uuid);
      await holding(nodeUuid, 'delete port', async () => store.ports.delete(uuid));
    },
  };
}
