/**
 * All nodes of this conductor as host states for the scheduler, with the services, aggregates and images that it
 * needs.
 */
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ImageService } from '../../image-service/image-service.ts';
import type { HostState } from '../../scheduler/host-state.ts';
import { hostStatesOf, SCHEDULABLE_FIELDS, type SchedulableNode } from '../../scheduler/node-host-state.ts';
import type { ComputeSettings } from '../settings.ts';

export interface HostStatesDeps {
  readonly engine: Pick<Engine, 'conductor' | 'conductorGroup'>;
  readonly store: Store;
  readonly images: Pick<ImageService, 'cached'>;
  readonly settings: Pick<
    ComputeSettings,
    'host' | 'defaultAvailabilityZone' | 'serviceDownMs' | 'domainCapability'
  >;
  readonly now: () => Date;
}

/** Nodes are read in pages, so that other requests are served in between. */
const PAGE = 1_000;

export async function readHostStates(deps: HostStatesDeps): Promise<HostState[]> {
  const { store, settings, images, now } = deps;
  const [services, aggregates, cachedImages, nodes] = await Promise.all([
    listAll(store.compute.computeServices, { binary: 'nova-compute' }),
    listAll(store.compute.aggregates, {}),
    images.cached(),
    readNodes(deps),
  ]);
  const service = services.find(({ host }) => host === settings.host);
  return hostStatesOf(nodes, {
    now: now(),
    serviceOf: () => service,
    serviceDownMs: settings.serviceDownMs,
    aggregates,
    defaultAvailabilityZone: settings.defaultAvailabilityZone,
    domainCapability: settings.domainCapability,
    failedBuilds: new Map(),
    cachedImages,
  });
}

async function readNodes({ store, engine }: HostStatesDeps): Promise<SchedulableNode[]> {
  const nodes: SchedulableNode[] = [];
  // Child nodes are not hosts.
  const filter = { conductorGroup: engine.conductorGroup, child: false };
  for (let marker: string | undefined; ; ) {
    const page = {
      limit: PAGE,
      sortKey: 'id',
      sortDir: 'asc',
      ...(marker === undefined ? {} : { marker }),
    } as const;
    const some = await store.nodes.listShown(filter, page, SCHEDULABLE_FIELDS);
    nodes.push(...some);
    if (some.length < PAGE) return nodes;
    marker = some.at(-1)?.uuid;
  }
}
