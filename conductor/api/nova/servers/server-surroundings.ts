/**
 * What views of servers need besides their records, read once for all servers of an answer.
 */
import type { ComputeService, Server } from '../../../domain/compute.ts';
import { ALL_ROWS, listAll } from '../../../domain/store/page.ts';
import { isUp } from '../../../scheduler/service-state.ts';
import { zoneNameOf, zonesByMachine } from '../../../servers/places/zones.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { buildProgress } from './server-progress.ts';
import { statusOf } from './server-status.ts';
import { BUILDING, type ServerSurroundings } from './server-view.ts';

/** From this number of servers on, all names are read at once. */
const MANY = 10;

export async function surroundingsOf(
  servers: readonly Server[],
  deps: ComputeDeps,
): Promise<(server: Server) => ServerSurroundings> {
  const [addresses, services, zoneOf, progress] = await Promise.all([
    deps.networks.addressesOfAll(servers.map(({ uuid }) => uuid)),
    listAll(deps.store.compute.computeServices, { binary: 'nova-compute' }),
    zonesOf(servers, deps),
    progressOfBuilds(servers, deps),
  ]);
  const serviceOf = new Map(services.map((service) => [service.host, service]));
  const now = deps.now();
  return (server) => ({
    addresses: addresses.get(server.uuid) ?? [],
    zone: zoneOf(server),
    hostStatus: server.host === null ? '' : hostStatus(serviceOf.get(server.host), deps, now),
    progress: progress.get(server.uuid) ?? 0,
  });
}

async function progressOfBuilds(
  servers: readonly Server[],
  { store }: ComputeDeps,
): Promise<ReadonlyMap<string, number>> {
  const entries = servers
    .filter((server) => BUILDING.has(statusOf(server)))
    .map(async ({ uuid, nodeUuid }) => {
      const operation = nodeUuid === null ? undefined : await store.operations.current(nodeUuid);
      return [uuid, buildProgress(operation)] as const;
    });
  return new Map(await Promise.all(entries));
}

async function zonesOf(servers: readonly Server[], deps: ComputeDeps): Promise<(server: Server) => string> {
  const zones = (await listAll(deps.store.compute.aggregates, {})).filter(
    (aggregate) => zoneNameOf(aggregate) !== undefined,
  );
  const names = zones.length === 0 ? new Map<string, string>() : await nodeNames(servers, deps);
  const hosts = new Set(servers.flatMap(({ host }) => host ?? []));
  const ofHost = new Map(
    [...hosts].map((host) => [host, zonesByMachine(zones, host, deps.settings.defaultAvailabilityZone)]),
  );
  return ({ host, nodeUuid, availabilityZone }) => {
    const zoneOf = ofHost.get(host ?? '');
    if (zoneOf === undefined || nodeUuid === null) return availabilityZone ?? '';
    return zoneOf({ uuid: nodeUuid, name: names.get(nodeUuid) ?? null });
  };
}

async function nodeNames(
  servers: readonly Server[],
  { store }: ComputeDeps,
): Promise<ReadonlyMap<string, string>> {
  const uuids = servers.flatMap(({ nodeUuid }) => nodeUuid ?? []);
  const nodes =
    uuids.length < MANY
      ? await Promise.all(uuids.map((uuid) => store.nodes.find(uuid)))
      : await store.nodes.listShown({ associated: true }, ALL_ROWS, ['uuid', 'name']);
  return new Map(nodes.flatMap((node) => (node?.name ? [[node.uuid, node.name] as const] : [])));
}

function hostStatus(service: ComputeService | undefined, { settings }: ComputeDeps, now: Date): string {
  if (service === undefined) return 'UNKNOWN';
  if (service.isDisabled) return 'MAINTENANCE';
  return isUp(service, now, settings.serviceDownMs) ? 'UP' : 'DOWN';
}
