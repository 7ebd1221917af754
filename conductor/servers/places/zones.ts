/**
 * The aggregates of machines, and the availability zone that follows from them. A machine is in an aggregate by its
 * UUID, by its name, or together with all machines of its compute service.
 */
import { type Aggregate, type ComputeService, ZONE_KEY } from '../../domain/compute.ts';
import type { Node } from '../../domain/node.ts';

export type Machine = Pick<Node, 'uuid' | 'name'>;
type Placing = Pick<Aggregate, 'hosts' | 'metadata'>;

/** Zone of services that manage no machines. */
export const INTERNAL_ZONE = 'internal';

export const zoneNameOf = ({ metadata }: Pick<Aggregate, 'metadata'>): string | undefined =>
  metadata[ZONE_KEY];

/** @param service the service that has the machines */
export function zonesByMachine(
  aggregates: readonly Placing[],
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

/** A compute service is in the zone of its aggregate. */
export function zoneOfService(
  aggregates: readonly Placing[],
  { binary, host }: Pick<ComputeService, 'binary' | 'host'>,
  defaultZone: string,
): string {
  if (binary !== 'nova-compute') return INTERNAL_ZONE;
  const zones = aggregates.flatMap((one) => (one.hosts.includes(host) ? (zoneNameOf(one) ?? []) : []));
  return zones[0] ?? defaultZone;
}

/** Zones that a request may name: those of aggregates, and that of all other machines. */
export const requestableZones = (aggregates: readonly Placing[], defaultZone: string): ReadonlySet<string> =>
  new Set([...aggregates.flatMap((one) => zoneNameOf(one) ?? []), defaultZone]);

/** Zones with machines and zones that have no machines yet, sorted; at least the default zone. */
export function zonesInUse(
  aggregates: readonly Placing[],
  machines: readonly Machine[],
  service: string,
  defaultZone: string,
): string[] {
  const withMachines = machines.map(zonesByMachine(aggregates, service, defaultZone));
  const withHosts = aggregates.flatMap((one) => (one.hosts.length > 0 ? (zoneNameOf(one) ?? []) : []));
  const names = new Set([...withMachines, ...withHosts]);
  return names.size === 0 ? [defaultZone] : [...names].sort();
}

/** The entries of aggregates: node UUIDs, and names of services. */
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
