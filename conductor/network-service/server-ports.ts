/**
 * Takes a port for a server, and gives it back. Both run in the caller's transaction.
 */
import type { NetworkPort, Server } from '../domain/compute.ts';
import type { Store } from '../domain/store/store.ts';
import type { DhcpRange } from './addresses.ts';
import { createNetworkPort, deleteNetworkPort } from './network-ports.ts';
import { endLease, unbindPort } from './port-binding.ts';
import type { RequestedInterface } from './requested-networks.ts';

/** The port that the request names, or a new one that is deleted with the server. */
export async function takePort(
  tx: Store,
  server: Server,
  asked: RequestedInterface,
  given: { readonly dhcp: DhcpRange | null; readonly now: Date },
): Promise<NetworkPort> {
  const device = { deviceId: server.uuid, deviceOwner: `compute:${server.availabilityZone ?? 'nova'}` };
  if (asked.kind === 'port') return tx.compute.networkPorts.update(asked.port.uuid, device, given.now);
  const { network, fixedIp } = asked;
  const wanted = fixedIp === undefined ? undefined : [{ ipAddress: fixedIp }];
  const owned = { projectId: server.projectId, dnsName: server.hostname, isOwnedByServer: true };
  return createNetworkPort(tx, network, { ...device, ...owned, wanted }, given);
}

/** Deletes a port that was created for the server; frees one that its user created. */
export async function giveBackPort(tx: Store, port: NetworkPort, now: Date): Promise<void> {
  if (port.isOwnedByServer) {
    await endLease(tx, port);
    return deleteNetworkPort(tx, port);
  }
  await unbindPort(tx, port, now);
  await tx.compute.networkPorts.update(port.uuid, { deviceId: '', deviceOwner: '' }, now);
}
