/**
 * Nodes that were selected but not claimed yet: this conductor selects them for no other server in the meantime.
 */
import type { HostState } from '../scheduler/host-state.ts';

export interface Reservations {
  /** False when the node is reserved for another server. */
  take(nodeUuid: string, serverUuid: string): boolean;
  has(nodeUuid: string, serverUuid: string): boolean;
  /** Releases the reservation of the server, if it has one. */
  release(serverUuid: string): void;
  /** Node UUID -> server UUID, a live view. */
  all(): ReadonlyMap<string, string>;
}

export function createReservations(): Reservations {
  const holders = new Map<string, string>();
  return {
    take(nodeUuid, serverUuid) {
      const holder = holders.get(nodeUuid);
      if (holder !== undefined && holder !== serverUuid) return false;
      holders.set(nodeUuid, serverUuid);
      return true;
    },
    has: (nodeUuid, serverUuid) => holders.get(nodeUuid) === serverUuid,
    release(serverUuid) {
      for (const [nodeUuid, holder] of holders) if (holder === serverUuid) holders.delete(nodeUuid);
    },
    all: () => new Map(holders),
  };
}

/** The hosts as if all reserved nodes were claimed. */
export function withReserved(
  hosts: readonly HostState[],
  reserved: ReadonlyMap<string, string>,
): readonly HostState[] {
  const newcomers = new Map<string, string[]>();
  for (const { nodename, domain } of hosts) {
    const server = reserved.get(nodename);
    if (server !== undefined) newcomers.set(domain, [...(newcomers.get(domain) ?? []), server]);
  }
  if (newcomers.size === 0) return hosts;
  return hosts.map((host) => {
    const server = reserved.get(host.nodename);
    const neighbours = newcomers.get(host.domain);
    if (neighbours === undefined) return host;
    const instances = new Set([...host.instances, ...neighbours]);
    if (server === undefined) return { ...host, instances };
    return { ...host, instances, unusable: host.unusable ?? `reserved for instance ${server}` };
  });
}
