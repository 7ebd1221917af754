/**
 * Server networks on top of the store: creates or takes ports, binds them to the ports of the node, gives them back.
 * Each verb is one transaction, so it has its whole effect or none.
 */
import type { NetworkPort, RequestedNetwork, Server } from '../domain/compute.ts';
import { IngotError, notFound } from '../domain/errors.ts';
import type { Store } from '../domain/store/store.ts';
import type { Tenant } from '../identity/tenant.ts';
import type { DhcpRange } from './addresses.ts';
import { networkDataOf } from './network-data.ts';
import { bindPorts, unbindPort } from './port-binding.ts';
import { hasPortsLeft } from './port-quota.ts';
import {
  inRequestedOrder,
  type RequestedInterface,
  type RequestedPort,
  requestedInterfaces,
} from './requested-networks.ts';
import { addressesOf, addressesOfAll, portsOf, withPlaces } from './server-addresses.ts';
import type { ServerNetworks } from './server-networks.ts';
import { giveBackPort, takePort } from './server-ports.ts';

export interface ServerNetworksDeps {
  readonly store: Store;
  /** The network that our DHCP server serves; null when DHCP is off. */
  readonly dhcp: DhcpRange | null;
  readonly now: () => Date;
}

export function createServerNetworks({ store, dhcp, now }: ServerNetworksDeps): ServerNetworks {
  const inOrder = async (tx: Store, server: Server): Promise<RequestedPort[]> =>
    inRequestedOrder(server.requestedNetworks, await portsOf(tx, server));

  const portsInOrder = async (tx: Store, server: Server): Promise<NetworkPort[]> =>
    (await inOrder(tx, server)).map(({ port }) => port);

  async function checkQuota(tx: Store, asked: readonly RequestedInterface[], tenant: Tenant, count: number) {
    const made = asked.filter(({ kind }) => kind === 'network').length * count;
    if (!(await hasPortsLeft(tx, tenant, made)))
      throw new IngotError('forbidden', 'Maximum number of ports exceeded');
  }

  /** The interface that the request names; else a new port on the only available network. */
  async function interfaceFor(
    tx: Store,
    wanted: RequestedNetwork | 'auto',
    tenant: Tenant,
  ): Promise<RequestedInterface> {
    const [asked] = await requestedInterfaces(tx, wanted === 'auto' ? wanted : [wanted], tenant);
    if (asked !== undefined) return asked;
    throw new IngotError(
      'invalidParameter',
      `No specific network was requested and none are available for project '${tenant.projectId}'.`,
    );
  }

  return {
    async check(wanted, tenant, count) {
      const asked = await requestedInterfaces(store, wanted, tenant);
      await checkQuota(store, asked, tenant, count);
    },

    allocate: (server, tenant) =>
      store.transaction(async (tx) => {
        if ((await portsOf(tx, server)).length === 0) {
          // The request was checked already, perhaps as an administrator's. Do not check access again as another
          // user.
          const trusted = { ...tenant, isAdmin: true };
          const asked = await requestedInterfaces(tx, server.requestedNetworks, trusted, server.uuid);
          for (const one of asked) await takePort(tx, server, one, { dhcp, now: now() });
        }
        return withPlaces(tx, await inOrder(tx, server));
      }),

    bind: (server, nodeUuid) =>
      store.transaction(async (tx) => {
        await bindPorts(tx, server, await portsInOrder(tx, server), nodeUuid, now());
        return withPlaces(tx, await inOrder(tx, server));
      }),

    unbind: (server) =>
      store.transaction(async (tx) => {
        for (const port of await portsOf(tx, server)) await unbindPort(tx, port, now());
      }),

    release: (server) =>
      store.transaction(async (tx) => {
        for (const port of await portsOf(tx, server)) await giveBackPort(tx, port, now());
      }),

    attach: (server, wanted, tenant) =>
      store.transaction(async (tx) => {
        const asked = await interfaceFor(tx, wanted, tenant);
        await checkQuota(tx, [asked], tenant, 1);
        const { uuid } = await takePort(tx, server, asked, { dhcp, now: now() });
        if (server.nodeUuid !== null)
          await bindPorts(tx, server, await portsInOrder(tx, server), server.nodeUuid, now());
        return (await tx.compute.networkPorts.find(uuid))!;
      }),

    detach: (server, portId) =>
      store.transaction(async (tx) => {
        const port = (await portsOf(tx, server)).find(({ uuid }) => uuid === portId);
        if (port === undefined) throw notFound('Port id', portId);
        await giveBackPort(tx, port, now());
      }),

    addressesOf: (serverUuid) => addressesOf(store, serverUuid),
    addressesOfAll: (serverUuids) => addressesOfAll(store, serverUuids),
    networkDataOf: (addresses) => networkDataOf(addresses, dhcp?.cidr ?? null),
  };
}
