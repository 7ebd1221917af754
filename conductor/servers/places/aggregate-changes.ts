/**
 * Rules for changes of aggregates. A machine is in one zone, so aggregates of different zones have no machine in
 * common, whether they name it by UUID, by name or by its service. A machine in use does not change its zone.
 */
import { type Aggregate, ZONE_KEY } from '../../domain/compute.ts';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import { placesOf, zoneNameOf } from './zones.ts';

export interface Neighbourhood {
  readonly aggregates: readonly Aggregate[];
  readonly machines: readonly Pick<Node, 'uuid' | 'name' | 'instanceUuid'>[];
  /** Names of compute services; the first one has the machines. */
  readonly services: readonly [string, ...string[]];
}

/** Throws notFound for an unknown host, conflict for one that is in the aggregate already or in another zone. */
export function withHost(aggregate: Aggregate, host: string, around: Neighbourhood): readonly string[] {
  const { machines, services } = around;
  const added = placesOf([host], machines, services[0]);
  if (added.size === 0 && !services.includes(host)) throw notFound('Compute host', host);
  const isIn = aggregate.hosts.some((one) => sameMachine(one, host, around));
  if (isIn) throw new IngotError('conflict', `Aggregate ${aggregate.id} already has host ${host}.`);
  const zone = zoneNameOf(aggregate);
  const others = zone === undefined ? [] : otherZones(aggregate, zone, [host], around);
  if (others.length > 0)
    throw new IngotError(
      'conflict',
      `Cannot add host to aggregate ${aggregate.id}. Reason: ${inZones(others)}.`,
    );
  return [...aggregate.hosts, host];
}

/** Throws notFound. */
export function withoutHost(aggregate: Aggregate, host: string, around: Neighbourhood): readonly string[] {
  const left = aggregate.hosts.filter((one) => !sameMachine(one, host, around));
  if (left.length < aggregate.hosts.length) return left;
  throw new IngotError('notFound', `Cannot remove host ${host} in aggregate ${aggregate.id}`);
}

/**
 * Null removes a key. Throws invalidParameter when machines would be in two zones, or machines in use would leave
 * their zone.
 */
export function withMetadata(
  aggregate: Aggregate,
  changes: Readonly<Record<string, string | null>>,
  around: Neighbourhood,
  doing: 'Cannot update aggregate' | 'Cannot update metadata of aggregate',
): Readonly<Record<string, string>> {
  const refuse = (reason: string): never => {
    throw new IngotError('invalidParameter', `${doing} ${aggregate.id}. Reason: ${reason}.`);
  };
  const zone = changes[ZONE_KEY];
  if (zone === '') refuse(`Aggregate ${aggregate.name} does not support empty named availability zone`);
  if (zone !== undefined && zone !== (zoneNameOf(aggregate) ?? null)) {
    const others = zone === null ? [] : otherZones(aggregate, zone, aggregate.hosts, around);
    if (others.length > 0) refuse(inZones(others));
    const places = placesOf(aggregate.hosts, around.machines, around.services[0]);
    const isUsed = around.machines.some((one) => one.instanceUuid !== null && places.has(one.uuid));
    if (isUsed) refuse('One or more hosts contain instances in this zone');
  }
  const metadata = { ...aggregate.metadata, ...changes };
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

const inZones = (zones: readonly string[]): string =>
  `One or more hosts already in availability zone(s) [${zones.map((zone) => `'${zone}'`).join(', ')}]`;

function otherZones(
  aggregate: Aggregate,
  zone: string,
  hosts: readonly string[],
  { aggregates, machines, services }: Neighbourhood,
): string[] {
  const places = placesOf(hosts, machines, services[0]);
  const others = aggregates.filter((other) => {
    const theirs = zoneNameOf(other);
    if (other.id === aggregate.id || theirs === undefined || theirs === zone) return false;
    return [...placesOf(other.hosts, machines, services[0])].some((place) => places.has(place));
  });
  return [...new Set(others.map((other) => zoneNameOf(other)!))];
}

function sameMachine(one: string, other: string, { machines }: Neighbourhood): boolean {
  const uuidOf = (ident: string) =>
    machines.find(({ uuid, name }) => uuid === ident || name === ident)?.uuid ?? ident;
  return uuidOf(one) === uuidOf(other);
}
