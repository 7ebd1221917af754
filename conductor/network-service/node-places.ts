/**
 * Which port of a node a server's network goes to, as Ironic chooses for virtual interfaces. Pure.
 */
import type { Network, NetworkPort } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Port } from '../domain/node.ts';
import type { Portgroup } from '../domain/resources.ts';

/** A port of the node, or a portgroup with its ports. */
export interface NodePlace {
  readonly uuid: string;
  /** Null when a portgroup has no address and no port. */
  readonly address: string | null;
  readonly isPortgroup: boolean;
  readonly isPxeEnabled: boolean;
  /** Null: it may be any. */
  readonly physicalNetwork: string | null;
  /** Where its cables go, one per port. */
  readonly links: readonly JsonObject[];
}

/** Best first: those that boot from the network, bonds before single ports, those whose wire is known. */
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
        // Without one of its own a bond takes its first port's.
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

/** The first place on the network's wire; the one whose MAC the port was made with comes before all. */
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
