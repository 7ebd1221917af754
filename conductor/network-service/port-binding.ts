/**
 * Binds a server's ports to the ports of its node, and unbinds them. Runs in the caller's transaction.
 */
import { parseMac } from '../domain/boot.ts';
import type { Network, NetworkPort, Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import { withMac } from './network-ports.ts';
import { choosePlace, type NodePlace, placesOf } from './node-places.ts';

const LINKS = 'local_link_information';

/**
 * Binds the ports that are not yet bound to this node, in this order. Throws conflict when the node has too few
 * ports.
 */
export async function bindPorts(
  tx: Store,
  server: Server,
  ports: readonly NetworkPort[],
  nodeUuid: string,
  now: Date,
): Promise<void> {
  const places = placesOf(await listAll(tx.ports, { nodeUuid }), await listAll(tx.portgroups, { nodeUuid }));
  const boundHere = (port: NetworkPort): boolean =>
    port.bindingHost === nodeUuid && places.some(({ uuid }) => uuid === port.nodePortUuid);
  const used = new Set(ports.filter(boundHere).map(({ nodePortUuid }) => nodePortUuid));
  for (const port of ports.filter((one) => !boundHere(one))) {
    const network = await tx.compute.networks.find(port.networkUuid);
    if (network === undefined)
      throw new IngotError('conflict', `Network ${port.networkUuid} of port ${port.uuid} is gone.`);
    const free = places.filter(({ uuid }) => !used.has(uuid));
    const place = choosePlace(free, network, port);
    if (place === undefined) throw tooFew(server, ports.length, nodeUuid, places, network);
    used.add(place.uuid);
    const macAddress = place.address ?? port.macAddress;
    await withMac(network.uuid, macAddress, (mac) =>
      tx.compute.networkPorts.update(
        port.uuid,
        {
          macAddress: mac,
          nodePortUuid: place.uuid,
          bindingHost: nodeUuid,
          bindingProfile: { ...port.bindingProfile, [LINKS]: place.links },
          status: 'ACTIVE',
        },
        now,
      ),
    );
  }
}

function tooFew(
  server: Server,
  count: number,
  nodeUuid: string,
  places: readonly NodePlace[],
  network: Network,
): IngotError {
  const wire = network.physicalNetwork === null ? '' : ` on physical network ${network.physicalNetwork}`;
  const have = places.map(
    ({ address, physicalNetwork }) => `${address}${physicalNetwork === null ? '' : ` on ${physicalNetwork}`}`,
  );
  return new IngotError(
    'conflict',
    `Server ${server.uuid} asks for ${count} network interfaces, and node ${nodeUuid} has no port left for network ${network.name || network.uuid}${wire}: its ports are ${have.join(', ') || 'none'}. Enroll the missing port with its MAC address, or ask for fewer networks.`,
  );
}

/**
 * Ends the DHCP lease of the port's address, so that the server's next node, or the next server, gets the address at
 * once.
 */
export async function endLease(tx: Store, { macAddress, fixedIps }: NetworkPort): Promise<void> {
  const mac = parseMac(macAddress);
  const lease = mac && (await tx.leases.byMac(mac));
  if (lease !== undefined && fixedIps.some(({ ipAddress }) => ipAddress === lease.address))
    await tx.leases.release(lease.mac);
}

/** Unbinds the port and gives it a generated MAC address again. */
export async function unbindPort(tx: Store, port: NetworkPort, now: Date): Promise<NetworkPort> {
  if (port.nodePortUuid === null && port.bindingHost === '') return port;
  await endLease(tx, port);
  const { [LINKS]: _links, ...bindingProfile } = port.bindingProfile as JsonObject;
  return withMac(port.networkUuid, undefined, (macAddress) =>
    tx.compute.networkPorts.update(
      port.uuid,
      { macAddress, nodePortUuid: null, bindingHost: '', bindingProfile, status: 'DOWN' },
      now,
    ),
  );
}
