/**
 * Networks for servers over the store: ports made or taken, bound to the ports of the node, given back. Each verb is
 * one transaction, so that a server has all of it or nothing.
 */
import type { NetworkPort, Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import type { Tenant } from '../identity/tenant.ts';
import { ALL, type DhcpRange } from './addresses.ts';
import { networkDataOf } from './network-data.ts';
import { createNetworkPort, deleteNetworkPort } from './network-ports.ts';
import { bindPorts, endLease, unbindPort } from './port-binding.ts';
import { hasPortsLeft } from './port-quota.ts';
import {
  availableInterface,
  inRequestedOrder,
  networkInterface,
  portInterface,
  type RequestedInterface,
  requestedInterfaces,
} from './requested-networks.ts';
import type { ServerAddress, ServerBond, ServerNetworks } from './server-networks.ts';

export interface ServerNetworksDeps {
  readonly store: Store;
  /** What our DHCP serves; null when it does not. */
  readonly dhcp: DhcpRange | null;
  readonly now: () => Date;
}

/** Of so many servers at once, all ports are read in one go. */
const ONE_BY_ONE = 16;

export function createServerNetworks({ store, dhcp, now }: ServerNetworksDeps): ServerNetworks {
  const portsOf = async (tx: Store, server: Pick<Server, 'uuid'>): Promise<NetworkPort[]> =>
    tx.compute.networkPorts.list({ deviceId: server.uuid }, ALL);
  const inOrder = async (tx: Store, server: Server): Promise<NetworkPort[]> =>
    inRequestedOrder(server.requestedNetworks, await portsOf(tx, server));
  const ownerOf = (server: Server): string => `compute:${server.availabilityZone ?? 'nova'}`;

  /** The server's own port, in its transaction. */
  async function take(tx: Store, server: Server, asked: RequestedInterface): Promise<NetworkPort> {
    const device = { deviceId: server.uuid, deviceOwner: ownerOf(server) };
    if (asked.kind === 'port') return tx.compute.networkPorts.update(asked.port.uuid, device, now());
    const { network, fixedIp } = asked;
    return createNetworkPort(
      tx,
      network,
      {
        ...device,
        projectId: server.projectId,
        dnsName: server.hostname,
        isOwnedByServer: true,
        wanted: fixedIp === undefined ? undefined : [{ ipAddress: fixedIp }],
      },
      { dhcp, now: now() },
    );
  }

  async function giveBack(tx: Store, port: NetworkPort): Promise<void> {
    if (port.isOwnedByServer) {
      await endLease(tx, port);
      return deleteNetworkPort(tx, port);
    }
    await unbindPort(tx, port, now());
    await tx.compute.networkPorts.update(port.uuid, { deviceId: '', deviceOwner: '' }, now());
  }

  async function checkQuota(tx: Store, asked: readonly RequestedInterface[], tenant: Tenant, count: number) {
    const made = asked.filter(({ kind }) => kind === 'network').length * count;
    if (!(await hasPortsLeft(tx, tenant, made)))
      throw new IngotError('forbidden', 'Maximum number of ports exceeded');
  }

  /** What the request names instead of a new port of the only network. */
  async function interfaceFor(
    tx: Store,
    wanted: Parameters<ServerNetworks['attach']>[1],
    tenant: Tenant,
  ): Promise<RequestedInterface> {
    if (wanted.portId !== undefined) return portInterface(tx, wanted.portId, tenant);
    if (wanted.networkId !== undefined) return networkInterface(tx, wanted.networkId, wanted.fixedIp, tenant);
    const [only] = await availableInterface(tx, tenant);
    if (only?.kind === 'network') return networkInterface(tx, only.network.uuid, wanted.fixedIp, tenant);
    throw new IngotError(
      'invalidParameter',
      `No specific network was requested and none are available for project '${tenant.projectId}'.`,
    );
  }

  return {
    async check(wanted, tenant, count) {
      const entries = typeof wanted === 'string' ? [] : wanted;
      const single = entries.find((one) => one['port'] != null || one['fixed_ip'] != null);
      if (count > 1 && single !== undefined) {
        const what = single['port'] == null ? 'a fixed IP address' : 'a port';
        throw new IngotError(
          'invalidParameter',
          `Failed to launch instances: ${what} is for one server only, and ${count} are asked for.`,
        );
      }
      const asked = await requestedInterfaces(store, wanted, tenant);
      await checkQuota(store, asked, tenant, count);
    },

    allocate: (server, tenant) =>
      store.transaction(async (tx) => {
        if ((await portsOf(tx, server)).length === 0) {
          // Whether its user may have it was checked with the request, which may have been an administrator's.
          const trusted = { ...tenant, isAdmin: true };
          const asked = await requestedInterfaces(tx, server.requestedNetworks, trusted, server.uuid);
          for (const one of asked) await take(tx, server, one);
        }
        return withPlaces(tx, await inOrder(tx, server));
      }),

    bind: (server, nodeUuid) =>
      store.transaction(async (tx) => {
        await bindPorts(tx, server, await inOrder(tx, server), nodeUuid, now());
        return withPlaces(tx, await inOrder(tx, server));
      }),

    unbind: (server) =>
      store.transaction(async (tx) => {
        for (const port of await portsOf(tx, server)) await unbindPort(tx, port, now());
      }),

    release: (server) =>
      store.transaction(async (tx) => {
        for (const port of await portsOf(tx, server)) await giveBack(tx, port);
      }),

    attach: (server, wanted, tenant) =>
      store.transaction(async (tx) => {
        const asked = await interfaceFor(tx, wanted, tenant);
        await checkQuota(tx, [asked], tenant, 1);
        const { uuid } = await take(tx, server, asked);
        if (server.nodeUuid !== null)
          await bindPorts(tx, server, await inOrder(tx, server), server.nodeUuid, now());
        return (await tx.compute.networkPorts.find(uuid))!;
      }),

    detach: (server, portId) =>
      store.transaction(async (tx) => {
        const port = (await portsOf(tx, server)).find(({ uuid }) => uuid === portId);
        if (port === undefined) throw new IngotError('notFound', `Port id ${portId} could not be found.`);
        await giveBack(tx, port);
      }),

    async addressesOf(serverUuid) {
      const server = await store.compute.servers.find(serverUuid);
      const ports = await portsOf(store, { uuid: serverUuid });
      return withPlaces(store, inRequestedOrder(server?.requestedNetworks ?? 'auto', ports));
    },

    async addressesOfAll(serverUuids) {
      const wanted = new Set(serverUuids);
      const ports =
        wanted.size <= ONE_BY_ONE
          ? (await Promise.all([...wanted].map((uuid) => portsOf(store, { uuid })))).flat()
          : (await store.compute.networkPorts.list({}, ALL)).filter(({ deviceId }) => wanted.has(deviceId));
      const byServer = Map.groupBy(await withPlaces(store, ports), ({ port }) => port.deviceId);
      return new Map(serverUuids.map((uuid) => [uuid, byServer.get(uuid) ?? []]));
    },

    networkDataOf: (addresses) => networkDataOf(addresses, dhcp?.cidr ?? null),
  };
}

/** Each port with its network and that network's subnets, and the bond it is on. */
async function withPlaces(tx: Store, ports: readonly NetworkPort[]): Promise<ServerAddress[]> {
  const places = new Map<string, Omit<ServerAddress, 'port'>>();
  for (const uuid of new Set(ports.map(({ networkUuid }) => networkUuid))) {
    const network = await tx.compute.networks.find(uuid);
    if (network === undefined) continue;
    places.set(uuid, { network, subnets: await tx.compute.subnets.list({ networkUuid: uuid }, ALL) });
  }
  const bonds = await bondsOf(tx, ports);
  return ports.flatMap((port) => {
    const place = places.get(port.networkUuid);
    const bond = bonds.get(port.nodePortUuid ?? '');
    return place === undefined ? [] : [{ port, ...place, ...(bond && { bond }) }];
  });
}

/** Most machines have none. */
async function bondsOf(tx: Store, ports: readonly NetworkPort[]): Promise<ReadonlyMap<string, ServerBond>> {
  const wanted = new Set(ports.map(({ nodePortUuid }) => nodePortUuid));
  const groups = (await tx.portgroups.list({}, ALL)).filter(({ uuid }) => wanted.has(uuid));
  const bonds = groups.map(async ({ uuid, mode, properties }) => {
    const members = await tx.ports.list({ portgroupUuid: uuid }, ALL);
    const addresses = members.map((port) => ({ portUuid: port.uuid, macAddress: port.address }));
    return [uuid, { mode, properties, members: addresses }] as const;
  });
  return new Map(await Promise.all(bonds));
}
