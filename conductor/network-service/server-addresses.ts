/**
 * The addresses of servers: their ports, each with its network, the network's subnets and the bond to which it is
 * bound.
 */
import type { NetworkPort, Server } from '../domain/compute.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import { inRequestedOrder, type RequestedPort } from './requested-networks.ts';
import type { ServerAddress, ServerBond } from './server-networks.ts';

/** For more servers than this, read all ports at once. */
const ONE_BY_ONE = 16;

export const portsOf = async (tx: Store, server: Pick<Server, 'uuid'>): Promise<NetworkPort[]> =>
  listAll(tx.compute.networkPorts, { deviceId: server.uuid });

export async function addressesOf(store: Store, serverUuid: string): Promise<ServerAddress[]> {
  const server = await store.compute.servers.find(serverUuid);
  const ports = await portsOf(store, { uuid: serverUuid });
  return withPlaces(store, inRequestedOrder(server?.requestedNetworks ?? 'auto', ports));
}

export async function addressesOfAll(
  store: Store,
  serverUuids: readonly string[],
): Promise<Map<string, ServerAddress[]>> {
  const wanted = new Set(serverUuids);
  const ports =
    wanted.size <= ONE_BY_ONE
      ? (await Promise.all([...wanted].map((uuid) => portsOf(store, { uuid })))).flat()
      : (await listAll(store.compute.networkPorts, {})).filter(({ deviceId }) => wanted.has(deviceId));
  const places = await withPlaces(
    store,
    ports.map((port) => ({ port })),
  );
  const byServer = Map.groupBy(places, ({ port }) => port.deviceId);
  return new Map(serverUuids.map((uuid) => [uuid, byServer.get(uuid) ?? []]));
}

/** Each port with its network, that network's subnets, and its bond. */
export async function withPlaces(tx: Store, requested: readonly RequestedPort[]): Promise<ServerAddress[]> {
  const ports = requested.map(({ port }) => port);
  const places = new Map<string, Pick<ServerAddress, 'network' | 'subnets'>>();
  for (const uuid of new Set(ports.map(({ networkUuid }) => networkUuid))) {
    const network = await tx.compute.networks.find(uuid);
    if (network === undefined) continue;
    places.set(uuid, { network, subnets: await listAll(tx.compute.subnets, { networkUuid: uuid }) });
  }
  const bonds = await bondsOf(tx, ports);
  return requested.flatMap((one) => {
    const place = places.get(one.port.networkUuid);
    const bond = bonds.get(one.port.nodePortUuid ?? '');
    return place === undefined ? [] : [{ ...one, ...place, ...(bond && { bond }) }];
  });
}

/** The bonds of these ports; most machines have none. */
async function bondsOf(tx: Store, ports: readonly NetworkPort[]): Promise<ReadonlyMap<string, ServerBond>> {
  const wanted = new Set(ports.map(({ nodePortUuid }) => nodePortUuid));
  const groups = (await listAll(tx.portgroups, {})).filter(({ uuid }) => wanted.has(uuid));
  const bonds = groups.map(async ({ uuid, mode, properties }) => {
    const members = await listAll(tx.ports, { portgroupUuid: uuid });
    const addresses = members.map((port) => ({ portUuid: port.uuid, macAddress: port.address }));
    return [uuid, { mode, properties, members: addresses }] as const;
  });
  return new Map(await Promise.all(bonds));
}
