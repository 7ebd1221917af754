/**
 * Finds nodes that are shown as hypervisors, and the servers on them.
 */

import { IngotError } from '../../../domain/errors.ts';
import { ALL_ROWS, listAll } from '../../../domain/store/page.ts';
import type { Store } from '../../../domain/store/store.ts';
import { MACHINES } from '../../../servers/places/machines.ts';
import { BY_UUID, type HostedServer, HYPERVISOR_FIELDS, type Hypervisor } from './hypervisor-view.ts';

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;

type Nodes = Pick<Store, 'nodes'>;

/** By UUID of the node. */
export type HostedServers = ReadonlyMap<string, readonly HostedServer[]>;

export const everyHypervisor = ({ nodes }: Nodes): Promise<Hypervisor[]> =>
  nodes.listShown(MACHINES, ALL_ROWS, HYPERVISOR_FIELDS);

/** Nodes with this text in their UUID or name. Throws notFound. */
export async function searchHypervisors(store: Nodes, pattern: string): Promise<Hypervisor[]> {
  const wanted = pattern.toLowerCase();
  const isFound = ({ uuid, name }: Hypervisor) =>
    uuid.includes(wanted) || name?.toLowerCase().includes(wanted) === true;
  const found = (await everyHypervisor(store)).filter(isFound);
  if (found.length > 0) return found;
  throw new IngotError('notFound', `No hypervisor matching '${pattern.slice(0, 255)}' could be found.`);
}

/** By UUID, or by number in older microversions. Throws invalidParameter or notFound. */
export async function hypervisorOf(store: Nodes, id: string, minor: number): Promise<Hypervisor> {
  const isUuid = minor >= BY_UUID;
  if (isUuid && !UUID.test(id)) throw new IngotError('invalidParameter', `Invalid uuid ${id.slice(0, 64)}`);
  const found = isUuid
    ? await machineOf(store, id.toLowerCase())
    : (await everyHypervisor(store)).find((node) => String(node.id) === id);
  if (found !== undefined) return found;
  throw new IngotError('notFound', `Hypervisor with ID '${id.slice(0, 255)}' could not be found.`);
}

/** Child nodes are no hypervisors. */
async function machineOf({ nodes }: Nodes, uuid: string): Promise<Hypervisor | undefined> {
  const node = await nodes.find(uuid);
  return node?.parentNode === null ? node : undefined;
}

export async function hostedServers({ compute }: Pick<Store, 'compute'>): Promise<HostedServers> {
  const servers = await listAll(compute.servers, {});
  const there = servers.filter(({ nodeUuid, vmState }) => nodeUuid !== null && vmState !== 'deleted');
  return Map.groupBy(there, ({ nodeUuid }) => nodeUuid!);
}
