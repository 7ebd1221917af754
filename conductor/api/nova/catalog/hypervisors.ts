/**
 * Nodes as hypervisors: list, search, show, statistics. Nova's /os-hypervisors.
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { isUp } from '../../../scheduler/service-state.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { text } from '../../kit/readers.ts';
import { novaErrorBody } from '../errors.ts';
import { PAGE, pageOf } from '../page.ts';
import { boolean, readQuery } from '../request.ts';
import {
  everyHypervisor,
  type HostedServers,
  hostedServers,
  hypervisorOf,
  searchHypervisors,
} from './hypervisor-lookup.ts';
import {
  BY_UUID,
  type Hypervisor,
  type HypervisorView,
  hypervisorView,
  NO_SIZES,
  USAGE_KEYS,
  usageOf,
} from './hypervisor-view.ts';

const PAGES = 33;
const PATTERN = text({ min: 1, max: 255, pattern: /^[a-zA-Z0-9-._]*$/ });
const LIST_253 = { ...PAGE, hypervisor_hostname_pattern: PATTERN, with_servers: boolean };
const SHOW_253 = { with_servers: boolean };

interface ById {
  Params: { id: string };
}

export function hypervisorRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  const { host, serviceDownMs } = settings;

  /** The view of hypervisors for this answer. */
  async function viewOf(
    { minor }: FastifyRequest,
    isDetailed: boolean,
    servers?: HostedServers,
  ): Promise<(node: Hypervisor) => JsonObject> {
    const [service] = await listAll(store.compute.computeServices, { binary: 'nova-compute', host });
    const isServiceUp = service !== undefined && isUp(service, now(), serviceDownMs);
    const view: Omit<HypervisorView, 'servers'> = { minor, isDetailed, service, isServiceUp, host };
    return (node) => hypervisorView(node, { ...view, servers: servers && (servers.get(node.uuid) ?? []) });
  }

  for (const [path, isDetailed] of [
    ['os-hypervisors', false],
    ['os-hypervisors/detail', true],
  ] as const) {
    app.get(
      `/${path}`,
      described('admin', 'List nodes as hypervisors', { query: LIST_253, list: 'hypervisors' }),
      async (request) => {
        const { limit, marker, pattern, isWithServers } = listQuery(request);
        const servers = isWithServers ? await hostedServers(store) : undefined;
        const view = await viewOf(request, isDetailed, servers);
        if (pattern !== undefined)
          return { hypervisors: (await searchHypervisors(store, pattern)).map(view) };
        const all = await everyHypervisor(store);
        if (request.minor < PAGES) return { hypervisors: all.map(view) };
        const idOf = (node: Hypervisor) => (request.minor >= BY_UUID ? node.uuid : String(node.id));
        const list = { key: 'hypervisors', path, idOf };
        const { page, links } = pageOf(request, settings, list, { limit, marker }, all);
        return { hypervisors: page.map(view), ...links };
      },
    );
  }

  app.get<ById>(
    '/os-hypervisors/:id',
    described('admin', 'Show a node as a hypervisor', { query: SHOW_253, item: 'hypervisor' }),
    async (request) => {
      const node = await hypervisorOf(store, request.params.id, request.minor);
      const isWithServers =
        request.minor >= BY_UUID && readQuery(request, SHOW_253, BY_UUID).with_servers === true;
      const view = await viewOf(request, true, isWithServers ? await hostedServers(store) : undefined);
      return { hypervisor: view(node) };
    },
  );

  app.get<ById>(
    '/os-hypervisors/:id/uptime',
    described('admin', 'Refused: the uptime of a machine is not known', { until: NO_SIZES - 1 }),
    async (request, reply) => {
      await hypervisorOf(store, request.params.id, request.minor);
      // as Nova says for machines that it does not run on
      return reply.code(501).send(novaErrorBody(501, 'The requested functionality is not supported.'));
    },
  );

  app.get<ById>(
    '/os-hypervisors/:id/search',
    described('admin', 'Find hypervisors by a part of their name', {
      until: BY_UUID - 1,
      list: 'hypervisors',
    }),
    async (request) => ({
      hypervisors: (await searchHypervisors(store, request.params.id)).map(await viewOf(request, false)),
    }),
  );

  app.get<ById>(
    '/os-hypervisors/:id/servers',
    described('admin', 'List the servers of hypervisors found by name', {
      until: BY_UUID - 1,
      list: 'hypervisors',
    }),
    async (request) => {
      const view = await viewOf(request, false, await hostedServers(store));
      return { hypervisors: (await searchHypervisors(store, request.params.id)).map(view) };
    },
  );

  app.get(
    '/os-hypervisors/statistics',
    described('admin', 'Sum up the resources of all hypervisors', {
      until: NO_SIZES - 1,
      item: 'hypervisor_statistics',
    }),
    async () => {
      const all = (await everyHypervisor(store)).map(usageOf);
      const sums = USAGE_KEYS.map((key) => [key, all.reduce((sum, usage) => sum + usage[key], 0)]);
      return { hypervisor_statistics: { count: all.length, ...Object.fromEntries(sums) } };
    },
  );
}

interface ListQuery {
  readonly limit?: number | undefined;
  readonly marker?: string | undefined;
  readonly pattern?: string | undefined;
  readonly isWithServers?: boolean;
}

function listQuery(request: FastifyRequest): ListQuery {
  if (request.minor < PAGES) return {};
  if (request.minor < BY_UUID) return readQuery(request, PAGE);
  const query = readQuery(request, LIST_253, BY_UUID);
  const { limit, marker, hypervisor_hostname_pattern: pattern, with_servers: isWithServers = false } = query;
  if (pattern !== undefined && (limit !== undefined || marker !== undefined)) {
    throw new IngotError(
      'invalidParameter',
      'Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not supported.',
    );
  }
  return { limit, marker, pattern, isWithServers };
}
