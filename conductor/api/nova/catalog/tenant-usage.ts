/**
 * Resource usage of projects over time. Nova's /os-simple-tenant-usage, computed from the stored servers.
 */

import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { sees } from '../../../identity/tenant.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { parseIsoTime } from '../../kit/iso-time.ts';
import { text } from '../../kit/readers.ts';
import { PAGE, pageOf } from '../page.ts';
import { readQuery } from '../request.ts';
import { naiveTime } from '../time.ts';

const PAGES = 40;
const MS_PER_HOUR = 3_600_000;
const QUERY = { ...PAGE, start: text(), end: text(), detailed: text() };

interface Period {
  readonly start: Date;
  readonly stop: Date;
  /** As shown in answers, with the microseconds of the request. */
  readonly shown: { readonly start: string; readonly stop: string };
}

interface OfProject {
  Params: { project: string };
}

export function tenantUsageRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  /** Usages of the requested page of servers, and the link to the next page. */
  async function usagesOf(request: FastifyRequest, list: { key: string; path: string }, of: Partial<Server>) {
    const query = readQuery(request, QUERY);
    const time = now();
    const period = periodOf(query, time);
    const inPeriod = (await listAll(store.compute.servers, of)).filter((one) => isIn(one, period));
    const isPaged = request.minor >= PAGES;
    const { page, links } = isPaged
      ? pageOf(request, settings, { ...list, idOf: ({ uuid }) => uuid }, query, inPeriod)
      : { page: inPeriod, links: {} };
    return {
      byProject: Map.groupBy(page, ({ projectId }) => projectId),
      links,
      usage: (project: string, servers: readonly Server[], isDetailed: boolean) =>
        usageOf(project, servers, period, time, isDetailed),
      isDetailed: query.detailed === '1',
    };
  }

  app.get(
    '/os-simple-tenant-usage',
    described('admin', 'Usage of all projects', { query: QUERY, list: 'tenant_usages' }),
    async (request) => {
      const list = { key: 'tenant_usages', path: 'os-simple-tenant-usage' };
      const { byProject, links, usage, isDetailed } = await usagesOf(request, list, {});
      const usages = [...byProject].map(([project, servers]) => usage(project, servers, isDetailed));
      return { tenant_usages: usages, ...links };
    },
  );

  app.get<OfProject>(
    '/os-simple-tenant-usage/:project',
    described('reader', 'Usage of a project', { query: QUERY, item: 'tenant_usage' }),
    async (request) => {
      const { project } = request.params;
      if (!sees(request.tenant, project))
        throw new IngotError('forbidden', "Policy doesn't allow usage of another project to be shown.");
      const path = `os-simple-tenant-usage/${encodeURIComponent(project)}`;
      const { byProject, links, usage } = await usagesOf(
        request,
        { key: 'tenant_usage', path },
        {
          projectId: project,
        },
      );
      const servers = byProject.get(project);
      return { tenant_usage: servers === undefined ? {} : usage(project, servers, true), ...links };
    },
  );
}

const isIn = ({ launchedAt, terminatedAt }: Server, { start, stop }: Period): boolean =>
  launchedAt !== null && launchedAt < stop && (terminatedAt === null || terminatedAt > start);

function usageOf(
  project: string,
  servers: readonly Server[],
  period: Period,
  now: Date,
  isDetailed: boolean,
): JsonObject {
  const usages = servers.map((server) => ({ server, hours: hoursOf(server, period) }));
  const sum = (amountOf: (server: Server) => number) =>
    usages.reduce((total, { server, hours }) => total + amountOf(server) * hours, 0);
  return {
    tenant_id: project,
    total_hours: sum(() => 1),
    total_vcpus_usage: sum(({ flavor }) => flavor.vcpus),
    total_memory_mb_usage: sum(({ flavor }) => flavor.ramMb),
    total_local_gb_usage: sum(diskGb),
    ...period.shown,
    ...(isDetailed
      ? { server_usages: usages.map(({ server, hours }) => serverUsage(server, hours, now)) }
      : {}),
  };
}

const diskGb = ({ flavor }: Server): number => flavor.rootGb + flavor.ephemeralGb;

function hoursOf({ launchedAt, terminatedAt }: Server, { start, stop }: Period): number {
  const from = Math.max(launchedAt!.getTime(), start.getTime());
  const to = Math.min(terminatedAt?.getTime() ?? Number.POSITIVE_INFINITY, stop.getTime());
  return Math.max(0, to - from) / MS_PER_HOUR;
}

function serverUsage(server: Server, hours: number, now: Date): JsonObject {
  const { launchedAt, terminatedAt, flavor } = server;
  return {
    hours,
    flavor: flavor.name,
    instance_id: server.uuid,
    name: server.name,
    tenant_id: server.projectId,
    memory_mb: flavor.ramMb,
    local_gb: diskGb(server),
    vcpus: flavor.vcpus,
    started_at: naiveTime(launchedAt!),
    ended_at: terminatedAt && naiveTime(terminatedAt),
    state: terminatedAt === null ? server.vmState : 'terminated',
    uptime: Math.floor(((terminatedAt ?? now).getTime() - launchedAt!.getTime()) / 1000),
  };
}

/** Both ends default to now; neither may be later. Throws invalidParameter. */
function periodOf({ start, end }: { readonly start?: string; readonly end?: string }, now: Date): Period {
  const present: Instant = { time: now, shown: naiveTime(now) };
  const from = start === undefined ? present : parseTime(start);
  const to = end === undefined ? present : parseTime(end);
  // the texts are alike but for their time, microseconds included
  if (from.shown > to.shown || (start !== undefined && from.shown === to.shown))
    throw new IngotError(
      'invalidParameter',
      'Invalid start time. The start time cannot occur after the end time.',
    );
  const stop = to.time > now ? present : to;
  return { start: from.time, stop: stop.time, shown: { start: from.shown, stop: stop.shown } };
}

interface Instant {
  /** With milliseconds. */
  readonly time: Date;
  /** With microseconds. */
  readonly shown: string;
}

/**
 * Accepts only seconds, optionally with a fraction up to microseconds, without a time zone. Throws invalidParameter.
 */
function parseTime(given: string): Instant {
  const read = parseIsoTime(given);
  if (read?.hasSeconds && !read.hasZone && read.fraction.length <= 6) {
    const time = new Date(read.ms);
    return { time, shown: `${time.toISOString().slice(0, 19)}.${read.fraction.padEnd(6, '0')}` };
  }
  throw new IngotError('invalidParameter', 'Invalid datetime string: Datetime is in invalid format');
}
