/** The network service with a store in memory, and functions that create networks, nodes and servers. */
import { randomUUID } from 'node:crypto';
import type { Mac } from '@ingot/conductor/domain/boot.ts';
import type { Network, Server, Subnet } from '@ingot/conductor/domain/compute.ts';
import { INTERFACE_TYPES, type Port } from '@ingot/conductor/domain/node.ts';
import type { Tenant } from '@ingot/conductor/identity/tenant.ts';
import {
  createServerNetworks,
  type ServerNetworksDeps,
} from '@ingot/conductor/network-service/create-server-networks.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { networkOf, serverOf, subnetOf } from './records.ts';

export const NOW = new Date(Date.UTC(2026, 0, 1));
export const ADMIN: Tenant = { projectId: 'default', userId: 'admin', isAdmin: true, isMember: true };
export const MEMBER: Tenant = { projectId: 'blue', userId: 'ann', isAdmin: false, isMember: true };

export type TestNetworks = Awaited<ReturnType<typeof createTestNetworks>>;

export async function createTestNetworks(dhcp: ServerNetworksDeps['dhcp'] = null) {
  const store = await openStore({ path: ':memory:' });
  const networks = createServerNetworks({ store, dhcp, now: () => NOW });
  const interfaces = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, 'fake'])) as never;
  let macs = 0;

  return {
    store,
    networks,
    network: (fields: Partial<Network> = {}) => {
      const { id: _id, createdAt: _at, updatedAt: _up, ...record } = networkOf(fields);
      return store.compute.networks.create(record, NOW);
    },
    subnet: (network: Network, fields: Partial<Subnet> = {}) => {
      const {
        id: _id,
        createdAt: _at,
        updatedAt: _up,
        ...record
      } = subnetOf({
        ...fields,
        networkUuid: network.uuid,
      });
      return store.compute.subnets.create(record, NOW);
    },
    server: (fields: Partial<Server> = {}) => {
      const { id: _id, createdAt: _at, updatedAt: _up, ...record } = serverOf(fields);
      return store.compute.servers.create(record, NOW);
    },
    /** A node with one port for each entry. */
    async node(ports: readonly Partial<Port>[] = [{}]): Promise<string> {
      const uuid = randomUUID();
      await store.nodes.create(
        { uuid, driver: 'fake-hardware', interfaces, provisionState: 'available' },
        NOW,
      );
      for (const fields of ports) {
        macs += 1;
        const address = `52:54:00:00:00:${macs.toString(16).padStart(2, '0')}` as Mac;
        await store.ports.create(
          { uuid: randomUUID(), nodeUuid: uuid, address, pxeEnabled: true, ...fields },
          NOW,
        );
      }
      return uuid;
    },
    close: () => store.close(),
  };
}
