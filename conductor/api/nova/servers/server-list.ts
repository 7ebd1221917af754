/**
 * GET /servers and /servers/detail: selects, filters, sorts and pages servers.
 */

import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { nextLinks } from '../links.ts';
import { PAGE, pageLimit, unknownMarker } from '../page.ts';
import { readQuery } from '../request.ts';
import { showServers, viewerOf } from './server-answer.ts';
import { FILTER_NAMES, isTrue, parseFilters } from './server-filters.ts';
import { parseOrder, serversInOrder } from './server-order.ts';
import { briefServerView } from './server-view.ts';

/** Arguments besides those of pages. */
const SERVER_ARGUMENTS = {
  ...FILTER_NAMES,
  sort_key: { type: 'array', items: { type: 'string' } },
  sort_dir: { type: 'array', items: { enum: ['asc', 'desc'] } },
  all_tenants: { type: 'string' },
  project_id: { type: 'string' },
  deleted: { type: 'string' },
};

/** Filters skip some servers, and each query has a cost. */
const MIN_BATCH = 100;

export function serverListRoutes(app: App, deps: ComputeDeps): void {
  const { publicEndpoint, maxLimit } = deps.settings;

  for (const [path, isDetailed] of [
    ['servers', false],
    ['servers/detail', true],
  ] as const) {
    app.get(
      `/${path}`,
      described('reader', 'List servers', { query: { ...PAGE, ...SERVER_ARGUMENTS }, list: 'servers' }),
      async (request) => {
        const limit = pageLimit(readQuery(request, PAGE), maxLimit);
        const page = await findServers(request, limit, isDetailed, deps);
        const ids = page.map(({ uuid }) => uuid);
        const { links } = viewerOf(request, deps);
        return {
          servers: isDetailed
            ? await showServers(page, 'detail', request, deps)
            : page.map((server) => briefServerView(server, links)),
          ...nextLinks(request, publicEndpoint, { key: 'servers', path }, limit, ids),
        };
      },
    );
  }
}

async function findServers(
  request: FastifyRequest,
  limit: number,
  isDetailed: boolean,
  deps: ComputeDeps,
): Promise<readonly Server[]> {
  const { minor, tenant } = request;
  const given = argumentsOf(request);
  const asked = { minor, isAdmin: tenant.isAdmin };
  const { tests, needsAddresses } = await parseFilters(given, asked);
  const orders = parseOrder(given.get('sort_key') ?? [], given.get('sort_dir') ?? [], asked);
  const owner = ownerOf(given, request, isDetailed);
  const marker = given.get('marker')?.at(-1);
  const { servers } = deps.store.compute;
  if (marker !== undefined && !(await isThere(marker, owner, deps))) {
    throw unknownMarker(marker);
  }
  const found: Server[] = [];
  if (limit === 0) return found;
  for await (const batch of serversInOrder(servers, owner, orders, marker, Math.max(limit, MIN_BATCH))) {
    const addresses = needsAddresses
      ? await deps.networks.addressesOfAll(batch.map(({ uuid }) => uuid))
      : undefined;
    for (const server of batch) {
      if (!tests.every((test) => test(server, addresses?.get(server.uuid) ?? []))) continue;
      if (found.push(server) === limit) return found;
    }
  }
  return found;
}

/** The caller's own project; administrators may name another, or all. Throws forbidden. */
function ownerOf(
  given: ReadonlyMap<string, readonly string[]>,
  { tenant }: FastifyRequest,
  isDetailed: boolean,
): Partial<Server> {
  const wish = given.get('all_tenants')?.at(-1);
  if (wish === undefined || !(wish === '' || isTrue(wish))) return { projectId: tenant.projectId };
  if (!tenant.isAdmin) {
    const rule = `os_compute_api:servers:${isDetailed ? 'detail' : 'index'}:get_all_tenants`;
    throw new IngotError('forbidden', `Policy doesn't allow ${rule} to be performed.`);
  }
  const project = (given.get('project_id') ?? given.get('tenant_id'))?.at(-1);
  return project === undefined ? {} : { projectId: project };
}

async function isThere(uuid: string, owner: Partial<Server>, { store }: ComputeDeps): Promise<boolean> {
  const server = await store.compute.servers.find(uuid);
  return server !== undefined && (owner.projectId ?? server.projectId) === server.projectId;
}

function argumentsOf({ query }: FastifyRequest): ReadonlyMap<string, readonly string[]> {
  const entries = Object.entries(query as Readonly<Record<string, string | readonly string[]>>);
  return new Map(entries.map(([name, values]) => [name, [values].flat()]));
}
