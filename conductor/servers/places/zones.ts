/**
 * Which aggregates, and through them which availability zone, machines are in. A machine is in an aggregate by its
 * UUID, its name, or with all machines of its compute service.
 */
import { type Aggregate, ZONE_KEY } from '../../domain/compute.ts';
import type { Node } from '../../domain/node.ts';

export type Machine = Pick<Node, 'uuid' | 'name'>;

/** Zone of services that manage no machines. */
export const INTERNAL_ZONE = 'internal';

export const zoneNameOf = ({ metadata }: Pick<Aggregate, 'metadata'>): string | undefined =>
  metadata[ZONE_KEY];

/** @param service that has the machines */
export function zonesByMachine(
  aggregates: readonly Aggregate[],
  service: string,
  defaultZone: string,
): (machine: Machine) => string {
  const zones = new Map<string, string>();
  for (const aggregate of aggregates) {
    const zone = zoneNameOf(aggregate);
    if (zone === undefined) continue;
    for (const host of aggregate.hosts) if (!zones.has(host)) zones.set(host, zone);
  }
  const common = zones.get(service);
  return ({ uuid, name }) => common ?? zones.get(uuid) ?? zones.get(name ?? '') ?? defaultZone;
}

/** A compute service: in the zone of its aggregate. */
export const zoneOfService = (aggregates: readonly Aggregate[], host: string, defaultZone: string): string =>
  aggregates.flatMap((one) => (one.hosts.includes(host) ? (zoneNameOf(one) ?? []) : []))[0] ?? defaultZone;

/** What entries of aggregates stand for: node UUIDs, and services by a name that is no UUID. */
export function placesOf(
  hosts: readonly string[],
  machines: readonly Machine[],
  service: string,
): ReadonlySet<string> {
  const wanted = new Set(hosts);
  const isWhole = wanted.has(service);
  const isIn = ({ uuid, name }: Machine) =>
    isWhole || wanted.has(uuid) || (name !== null && wanted.has(name));
  const places = machines.filter(isIn).map(({ uuid }) => uuid);
  return new Set([...places, ...(isWhole ? [`service ${service}`] : [])]);
}
