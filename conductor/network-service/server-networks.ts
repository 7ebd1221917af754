/**
 * What the façade's servers need of networks: ports and addresses for them, bound to the ports of their node.
 */
import type { Network, NetworkPort, Server, Subnet } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Tenant } from '../identity/tenant.ts';

/** Ports of a node that are one interface. */
export interface ServerBond {
  /** `active-backup`, `802.3ad`, ... */
  readonly mode: string;
  /** Options of the bonding driver: `miimon` and the like. */
  readonly properties: JsonObject;
  readonly members: readonly { readonly portUuid: string; readonly macAddress: string }[];
}

/** A server's place on a network, with all that its user and its config drive are told. */
export interface ServerAddress {
  readonly port: NetworkPort;
  readonly network: Network;
  readonly subnets: readonly Subnet[];
  /** When the port is bound to a portgroup of the node. */
  readonly bond?: ServerBond;
}

export interface ServerNetworks {
  /**
   * Checks what a request for `count` servers asks, before anything is stored. Throws invalidParameter, conflict, and
   * forbidden where it is the tenant's quota or another's port; a fixed address or port is for one server only.
   */
  check(wanted: Server['requestedNetworks'], tenant: Tenant, count: number): Promise<void>;
  /** Makes or takes the server's ports. Called again it returns what is there. Throws conflict when addresses are used up. */
  allocate(server: Server, tenant: Tenant): Promise<readonly ServerAddress[]>;
  /** Binds them to the node's ports, in order, MAC addresses and all. Called again it changes nothing. Throws conflict when the node has too few. */
  bind(server: Server, nodeUuid: string): Promise<readonly ServerAddress[]>;
  /** Off the node; the addresses stay with the server. */
  unbind(server: Server): Promise<void>;
  /** Deletes what was made for the server and frees what was given. */
  release(server: Server): Promise<void>;
  attach(
    server: Server,
    wanted: { readonly portId?: string; readonly networkId?: string; readonly fixedIp?: string },
    tenant: Tenant,
  ): Promise<NetworkPort>;
  detach(server: Server, portId: string): Promise<void>;
  addressesOf(serverUuid: string): Promise<readonly ServerAddress[]>;
  /** For many servers at once. */
  addressesOfAll(serverUuids: readonly string[]): Promise<ReadonlyMap<string, readonly ServerAddress[]>>;
  /** `{links, networks, services}` of the config drive. */
  networkDataOf(addresses: readonly ServerAddress[]): JsonObject;
}
