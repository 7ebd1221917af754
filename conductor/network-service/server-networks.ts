/**
 * What servers of the compute façade need from the network service: ports and addresses, bound to the ports of their
 * node.
 */
import type {
  Network,
  NetworkPort,
  RequestedNetwork,
  RequestedNetworks,
  Server,
  Subnet,
} from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Tenant } from '../identity/tenant.ts';

/** Ports of a node that form one interface. */
export interface ServerBond {
  /** `active-backup`, `802.3ad`, ... */
  readonly mode: string;
  /** Options of the bonding driver: `miimon` and the like. */
  readonly properties: JsonObject;
  readonly members: readonly { readonly portUuid: string; readonly macAddress: string }[];
}

/** One port of a server, with all that its user and its config drive are told about it. */
export interface ServerAddress {
  readonly port: NetworkPort;
  readonly network: Network;
  readonly subnets: readonly Subnet[];
  /** Set when the port is bound to a portgroup of the node. */
  readonly bond?: ServerBond;
  /** As the server's request tagged this interface. Not read by `addressesOfAll`. */
  readonly tag?: string;
}

export interface ServerNetworks {
  /**
   * Checks a request for `count` servers before anything is stored. Throws invalidParameter, conflict, or forbidden
   * for the tenant's quota and for another tenant's port.
   */
  check(wanted: RequestedNetworks, tenant: Tenant, count: number): Promise<void>;
  /**
   * Creates or takes the server's ports. A second call returns the same ports. Throws conflict when no address is
   * left.
   */
  allocate(server: Server, tenant: Tenant): Promise<readonly ServerAddress[]>;
  /**
   * Binds the ports to the node's ports in order, with their MAC addresses. A second call changes nothing. Throws
   * conflict when the node has too few ports.
   */
  bind(server: Server, nodeUuid: string): Promise<readonly ServerAddress[]>;
  /** Unbinds the ports from the node; the server keeps its addresses. */
  unbind(server: Server): Promise<void>;
  /** Deletes the ports that were created for the server and frees those that its user created. */
  release(server: Server): Promise<void>;
  attach(server: Server, wanted: RequestedNetwork | 'auto', tenant: Tenant): Promise<NetworkPort>;
  detach(server: Server, portId: string): Promise<void>;
  addressesOf(serverUuid: string): Promise<readonly ServerAddress[]>;
  /** For many servers at once. */
  addressesOfAll(serverUuids: readonly string[]): Promise<ReadonlyMap<string, readonly ServerAddress[]>>;
  /** `{links, networks, services}` of the config drive. */
  networkDataOf(addresses: readonly ServerAddress[]): JsonObject;
}
