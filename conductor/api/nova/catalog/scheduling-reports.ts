/**
 * Why requests got their machines, or none. An addition of Ingot, not part of Nova: /scheduler/reports, found by
 * request id or server.
 */

import type { FastifyRequest } from 'fastify';
import type { SchedulingReport } from '../../../domain/compute.ts';
import { notFound } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { sees } from '../../../identity/tenant.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { text } from '../../kit/readers.ts';
import { itemLinks } from '../links.ts';
import { byUuid, PAGE, type PagedList, pageOf } from '../page.ts';
import { readQuery } from '../request.ts';
import { naiveTime } from '../time.ts';

const PATH = 'scheduler/reports';
const LIST = { ...PAGE, request_id: text({ max: 255 }), server_id: text({ max: 255 }) };
const PAGED: PagedList<SchedulingReport> = { key: 'reports', path: PATH, idOf: ({ uuid }) => uuid };
/** The parts of a report that all callers may read: the filters, and the fault that their server shows. */
const FOR_OWNERS = ['hosts', 'filters', 'fault'];

interface ById {
  Params: { id: string };
}

export function schedulingReportRoutes(app: App, { store, settings }: ComputeDeps): void {
  const { schedulingReports } = store.compute;
  const { publicEndpoint } = settings;

  const summary = (one: SchedulingReport, request: FastifyRequest) => ({
    id: one.uuid,
    request_id: one.requestId,
    project_id: one.projectId,
    server_ids: one.serverUuids,
    created_at: naiveTime(one.createdAt),
    links: itemLinks(request, publicEndpoint, `${PATH}/${one.uuid}`),
  });

  app.get(
    `/${PATH}`,
    described('reader', 'List reports of scheduling decisions', { query: LIST, list: 'reports' }),
    async (request) => {
      const { request_id: requestId, server_id: serverId, ...query } = readQuery(request, LIST, 1);
      const { isAdmin, projectId } = request.tenant;
      const own = await listAll(schedulingReports, {
        ...(isAdmin ? {} : { projectId }),
        ...(requestId === undefined ? {} : { requestId }),
      });
      const wanted = own.filter(
        ({ serverUuids }) => serverId === undefined || serverUuids.includes(serverId),
      );
      const { page, links } = pageOf(request, settings, PAGED, query, wanted.reverse());
      return { reports: page.map((one) => summary(one, request)), ...links };
    },
  );

  app.get<ById>(
    `/${PATH}/:id`,
    described('reader', 'Show the report of a scheduling decision', { item: 'report' }),
    async (request) => {
      const { id } = request.params;
      const found = await byUuid(schedulingReports, id);
      if (found === undefined || !sees(request.tenant, found.projectId))
        throw notFound('Scheduling report', id);
      const report = request.tenant.isAdmin ? found.report : forOwners(found.report);
      return { report: { ...summary(found, request), ...report } };
    },
  );
}

/** As in Nova, only administrators may see machines and the servers of others on them. */
function forOwners(report: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(report).filter(([key]) => FOR_OWNERS.includes(key)));
}
