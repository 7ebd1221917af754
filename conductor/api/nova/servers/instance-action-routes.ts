/**
 * Actions on a server and their results: /servers/{id}/os-instance-actions. From 2.21 on also of deleted servers.
 */

import type { FastifyRequest } from 'fastify';
import type { InstanceAction, InstanceActionEvent, Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { optional, since, text } from '../../kit/readers.ts';
import { PAGE, type PagedList, pageOf } from '../page.ts';
import { readQuery } from '../request.ts';
import { naiveTime } from '../time.ts';
import { timeOf } from './server-filters.ts';
import { serverEvenDeleted, serverOf } from './server-lookup.ts';
import { hostIdOf } from './server-view.ts';

/** First microversions of these features: */
const OF_DELETED = 21;
const EVENTS_FOR_ALL = 51;
const PAGES = 58;
const HOSTS = 62;
const BEFORE = 66;
const LIST = { ...PAGE, 'changes-since': text() };
const LIST_266 = { 'changes-before': since(BEFORE, optional(text())) };

export function instanceActionRoutes(app: App, deps: ComputeDeps): void {
  const find = (request: FastifyRequest): Promise<Server> =>
    request.minor >= OF_DELETED ? serverEvenDeleted(deps, request) : serverOf(deps, request);
  const actionsOf = async ({ uuid }: Server): Promise<InstanceAction[]> =>
    (await listAll(deps.store.compute.instanceActions, { serverUuid: uuid })).reverse();

  app.get(
    '/servers/:id/os-instance-actions',
    described('reader', 'List the actions on a server', {
      query: { ...LIST, ...LIST_266 },
      list: 'instanceActions',
    }),
    async (request) => {
      const server = await find(request);
      const actions = await actionsOf(server);
      if (request.minor < PAGES) return { instanceActions: actions.map((one) => actionView(one, request)) };
      const query = readQuery(request, request.minor >= BEFORE ? { ...LIST, ...LIST_266 } : LIST, PAGES);
      const wanted = actions.filter(changedWithin(query));
      const list: PagedList<InstanceAction> = {
        key: 'actions',
        path: `servers/${server.uuid}/os-instance-actions`,
        idOf: ({ requestId }) => requestId,
      };
      const { page, links } = pageOf(request, deps.settings, list, query, wanted);
      const { actions_links: next } = links;
      return {
        instanceActions: page.map((one) => actionView(one, request)),
        ...(next === undefined ? {} : { links: next }),
      };
    },
  );

  app.get(
    '/servers/:id/os-instance-actions/:requestId',
    described('reader', 'Show an action on a server and its events', { item: 'instanceAction' }),
    async (request) => {
      const { requestId } = request.params as { readonly requestId: string };
      const server = await find(request);
      const action = (await actionsOf(server)).find((one) => one.requestId === requestId);
      if (action === undefined)
        throw new IngotError('notFound', `Action ${requestId.slice(0, 255)} not found`);
      const hasEvents = request.tenant.isAdmin || request.minor >= EVENTS_FOR_ALL;
      const events = action.events.map((event) => eventView(event, server, request));
      return { instanceAction: { ...actionView(action, request), ...(hasEvents ? { events } : {}) } };
    },
  );
}

function changedWithin(query: {
  readonly 'changes-since'?: string | undefined;
  readonly 'changes-before'?: string | undefined;
}): (action: InstanceAction) => boolean {
  const bound = (name: keyof typeof query): number | undefined =>
    query[name] === undefined ? undefined : timeOf(query[name], name);
  const since = bound('changes-since') ?? Number.NEGATIVE_INFINITY;
  const before = bound('changes-before') ?? Number.POSITIVE_INFINITY;
  if (before < since) {
    throw new IngotError(
      'invalidParameter',
      'The value of changes-since must be less than or equal to changes-before.',
    );
  }
  return ({ updatedAt, createdAt }) => {
    const changedMs = (updatedAt ?? createdAt).getTime();
    return changedMs >= since && changedMs <= before;
  };
}

function actionView(action: InstanceAction, { minor }: FastifyRequest): JsonObject {
  return {
    action: action.action,
    instance_uuid: action.serverUuid,
    request_id: action.requestId,
    user_id: action.userId,
    project_id: action.projectId,
    start_time: naiveTime(action.createdAt),
    message: action.message,
    ...(minor >= PAGES ? { updated_at: naiveTime(action.updatedAt ?? action.createdAt) } : {}),
  };
}

function eventView(
  event: InstanceActionEvent,
  server: Server,
  { minor, tenant }: FastifyRequest,
): JsonObject {
  const { isAdmin } = tenant;
  const time = (text: string | null): string | null => (text === null ? null : naiveTime(new Date(text)));
  return {
    event: event.event,
    start_time: time(event.startTime),
    finish_time: time(event.finishTime),
    result: event.result,
    ...(isAdmin ? { traceback: event.details } : {}),
    ...(minor >= HOSTS ? { hostId: hostIdOf(server.host, server.projectId) } : {}),
    ...(minor >= HOSTS && isAdmin ? { host: server.host } : {}),
  };
}
