/**
 * Looks up the networks and ports that a request for servers names. Errors have Nova's texts.
 */
import type { Network, NetworkPort, RequestedNetworks } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import type { Tenant } from '../identity/tenant.ts';
import { sees } from '../identity/tenant.ts';
import { placeOf } from './addresses.ts';
import { NetworkError } from './network-error.ts';
import { isAvailable, mayPlugInto, seesNetwork } from './visibility.ts';

/** One interface: an existing port, or a new port on the network. */
export type RequestedInterface =
  | { readonly kind: 'port'; readonly port: NetworkPort }
  | { readonly kind: 'network'; readonly network: Network; readonly fixedIp: string | undefined };

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);
const conflict = (text: string): IngotError => new IngotError('conflict', text);

/** Throws invalidParameter, conflict or forbidden. Ports of the server `serverUuid` are no conflict. */
export async function requestedInterfaces(
  store: Store,
  wanted: RequestedNetworks,
  tenant: Tenant,
  serverUuid?: string,
): Promise<RequestedInterface[]> {
  if (wanted === 'none') return [];
  if (wanted === 'auto' || wanted.length === 0) return availableInterface(store, tenant);
  const found: RequestedInterface[] = [];
  for (const one of wanted) {
    found.push(
      'portUuid' in one
        ? await portInterface(store, one.portUuid, tenant, serverUuid)
        : await networkInterface(store, one.networkUuid, one.fixedIp, tenant),
    );
  }
  return found;
}

/** The only network available to the project; undefined if there is none. Throws when there are several. */
async function availableInterface(store: Store, tenant: Tenant): Promise<RequestedInterface[]> {
  const networks = (await listAll(store.compute.networks, {})).filter((one) => isAvailable(tenant, one));
  if (networks.length > 1) {
    throw conflict('Multiple possible networks found, use a Network ID to be more specific.');
  }
  return Promise.all(networks.map(({ uuid }) => networkInterface(store, uuid, undefined, tenant)));
}

async function networkInterface(
  store: Store,
  uuid: string,
  fixedIp: string | undefined,
  tenant: Tenant,
): Promise<RequestedInterface> {
  const network = await store.compute.networks.find(uuid);
  if (network === undefined || !seesNetwork(tenant, network))
    throw invalid(`Network ${uuid} could not be found.`);
  if (!mayPlugInto(tenant, network)) {
    throw new IngotError(
      'forbidden',
      `It is not allowed to create an interface on external network ${network.uuid}`,
    );
  }
  const subnets = await listAll(store.compute.subnets, { networkUuid: network.uuid });
  if (subnets.length === 0)
    throw invalid(`Network ${network.uuid} requires a subnet in order to boot instances on.`);
  if (fixedIp === undefined) return { kind: 'network', network, fixedIp };
  try {
    const { subnet, address } = placeOf(fixedIp, subnets);
    const [holder] = await listAll(store.compute.ipAllocations, { subnetUuid: subnet.uuid, address });
    if (holder !== undefined || address === subnet.gatewayIp) {
      const port = holder && (await store.compute.networkPorts.find(holder.networkPortUuid));
      const by = port?.deviceId ? ` on instance ${port.deviceId}` : '';
      throw invalid(`Fixed IP address ${address} is already in use${tenant.isAdmin ? by : ''}.`);
    }
    return { kind: 'network', network, fixedIp: address };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw invalid(`Fixed IP ${fixedIp} is not a valid ip address for network ${network.uuid}.`);
  }
}

async function portInterface(
  store: Store,
  uuid: string,
  tenant: Tenant,
  serverUuid?: string,
): Promise<RequestedInterface> {
  const port = await store.compute.networkPorts.find(uuid);
  if (port === undefined || !sees(tenant, port.projectId))
    throw invalid(`Port id ${uuid} could not be found.`);
  if (port.deviceId !== '' && port.deviceId !== serverUuid)
    throw conflict(`Port ${port.uuid} is still in use.`);
  return { kind: 'port', port };
}

/** A port of a server, with the tag of the interface it was requested for. */
export interface RequestedPort {
  readonly port: NetworkPort;
  readonly tag?: string;
}

/** The server's ports in the order it asked for them, then those attached later. Pure. */
export function inRequestedOrder(wanted: RequestedNetworks, ports: readonly NetworkPort[]): RequestedPort[] {
  const left = [...ports].sort((a, b) => a.id - b.id);
  const asked = (typeof wanted === 'string' ? [] : wanted).flatMap((one): RequestedPort[] => {
    const index = left.findIndex((port) =>
      'portUuid' in one
        ? port.uuid === one.portUuid
        : port.isOwnedByServer && port.networkUuid === one.networkUuid,
    );
    const [port] = index < 0 ? [] : left.splice(index, 1);
    return port === undefined ? [] : [{ port, ...(one.tag === undefined ? {} : { tag: one.tag }) }];
  });
  return [...asked, ...left.map((port) => ({ port }))];
}
