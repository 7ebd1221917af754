/**
 * Which port of a node serves a server's network, chosen as Ironic chooses a port for a VIF. Pure.
 */
import type { Network, NetworkPort } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Port } from '../domain/node.ts';
import type { Portgroup } from '../domain/resources.ts';

/** A port of the node, or a portgroup with its ports. */
export interface NodePlace {
  readonly uuid: string;
  /** Null when a portgroup has no address and no ports. */
  readonly address: string | null;
  readonly isPortgroup: boolean;
  readonly isPxeEnabled: boolean;
  /** Null: unknown, so any network may use it. */
  readonly physicalNetwork: string | null;
  /** `local_link_connection` of each port. */
  readonly links: readonly JsonObject[];
}

/**
 * Best first: those that boot from the network, portgroups before single ports, those with a known physical network.
 */
export function placesOf(ports: readonly Port[], portgroups: readonly Portgroup[]): NodePlace[] {
  const ordered = [...ports].sort((a, b) => a.id - b.id);
  const membersOf = ({ uuid }: Portgroup): Port[] =>
    ordered.filter(({ portgroupUuid }) => portgroupUuid === uuid);
  const bonds = portgroups
    .map((group) => ({ group, members: membersOf(group) }))
    .filter(({ members }) => members.length > 0)
    .map(
      ({ group, members }): NodePlace => ({
        uuid: group.uuid,
        // Without an address of its own, a portgroup has the address of its first port.
        address: group.address ?? members[0]?.address ?? null,
        isPortgroup: true,
        isPxeEnabled: members.some(({ pxeEnabled }) => pxeEnabled),
        physicalNetwork: members.find((port) => port.physicalNetwork !== null)?.physicalNetwork ?? null,
        links: members.flatMap(linkOf),
      }),
    );
  const single = ordered
    .filter(({ portgroupUuid }) => portgroupUuid === null)
    .map(
      (port): NodePlace => ({
        uuid: port.uuid,
        address: port.address,
        isPortgroup: false,
        isPxeEnabled: port.pxeEnabled,
        physicalNetwork: port.physicalNetwork,
        links: linkOf(port),
      }),
    );
  const rank = (place: NodePlace): number =>
    (place.isPxeEnabled ? 0 : 4) + (place.isPortgroup ? 0 : 2) + (place.physicalNetwork === null ? 1 : 0);
  return [...bonds, ...single].sort((a, b) => rank(a) - rank(b));
}

const linkOf = ({ localLinkConnection }: Port): JsonObject[] =>
  Object.keys(localLinkConnection).length === 0 ? [] : [localLinkConnection];

/**
 * The place whose MAC address the port was created with, else the first place on the physical network of the network.
 */
export function choosePlace(
  places: readonly NodePlace[],
  network: Network,
  port: NetworkPort,
): NodePlace | undefined {
  const onWire = places.filter(
    ({ physicalNetwork }) =>
      physicalNetwork === null ||
      network.physicalNetwork === null ||
      physicalNetwork === network.physicalNetwork,
  );
  return onWire.find(({ address }) => address === port.macAddress) ?? onWire[0];
}
