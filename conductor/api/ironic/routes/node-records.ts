/**
 * `/v1/nodes/{node}/history` (API 1.78) and `/v1/nodes/{node}/inventory` (API 1.81).
 */
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../../domain/errors.ts';
import type { HistoryEntry } from '../../../domain/store/history.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { listSchema, objectSchema } from '../../kit/field-schema.ts';
import { nextUrl, pageLimit } from '../../kit/paging.ts';
import { type WireObject, wireTime } from '../../kit/presentation.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const HISTORY_SINCE = 78;
const PROJECT_SINCE = 113;
const STATE_SINCE = 115;
const INVENTORY_SINCE = 81;
/** Longest text of an event without `detail`, in characters. Longer texts are cut. */
const SHORT_EVENT = 255;

const HISTORY_ARGUMENTS = {
  detail: { kind: 'flag' },
  marker: { kind: 'uuid' },
  limit: { kind: 'integer' },
} as const;
const ENTRY = {
  title: 'HistoryEntry',
  type: 'object',
  properties: {
    uuid: { type: 'string', format: 'uuid' },
    created_at: { type: 'string', format: 'date-time' },
    severity: { type: 'string' },
    event: { type: 'string' },
    event_type: { type: 'string' },
    conductor: { type: 'string' },
    user: { type: ['string', 'null'] },
    project: { type: ['string', 'null'], 'x-since': '1.113' },
    state: { type: ['string', 'null'], 'x-since': '1.115' },
    target_provision_state: { type: ['string', 'null'], 'x-since': '1.115' },
    duration_seconds: { type: ['integer', 'null'], 'x-since': '1.115' },
  },
};
const HISTORY_DOC = {
  summary: 'List what went wrong and what ended well',
  query: HISTORY_ARGUMENTS,
  answer: listSchema('history', ENTRY),
};
const ENTRY_DOC = { summary: 'Show an entry of the history', answer: ENTRY };
const INVENTORY_DOC = {
  summary: 'Show what the last inspection found',
  answer: objectSchema({ inventory: { type: 'object' }, plugin_data: { type: ['object', 'null'] } }),
};

const details = (entry: HistoryEntry, minor: number): WireObject => ({
  event_type: entry.eventType,
  conductor: entry.conductor,
  user: entry.user,
  ...(minor < PROJECT_SINCE ? {} : { project: entry.project }),
  ...(minor < STATE_SINCE
    ? {}
    : {
        state: entry.state,
        target_provision_state: entry.targetProvisionState,
        duration_seconds: entry.durationSeconds,
      }),
});

const historyNotFound = (uuid: string): IngotError => notFound('Node history record', uuid);

export function registerNodeRecords(app: App, deps: ApiDeps): void {
  const { store, config } = deps;

  function present(request: FastifyRequest, entry: HistoryEntry, detail: boolean): WireObject {
    const href = `${baseUrlOf(request, config.publicEndpoint)}/v1/nodes/${entry.nodeUuid}/history/${entry.uuid}`;
    const short =
      entry.event.length > SHORT_EVENT ? `${entry.event.slice(0, SHORT_EVENT - 4)}...` : entry.event;
    return {
      uuid: entry.uuid,
      created_at: wireTime(entry.createdAt),
      severity: entry.severity,
      event: detail ? entry.event : short,
      ...(detail ? details(entry, request.minor) : {}),
      links: [{ href, rel: 'self' }],
    };
  }

  app.get<{ Params: { node: string } }>(
    '/v1/nodes/:node/history',
    { config: { since: HISTORY_SINCE, hidesPath: true, doc: HISTORY_DOC } },
    async (request) => {
      const query = parseQuery(request, HISTORY_ARGUMENTS);
      const page = {
        limit: pageLimit(query.limit, config.maxLimit),
        ...(query.marker === undefined ? {} : { marker: query.marker }),
      };
      const node = await nodeOf(store.nodes, request);
      if (query.marker !== undefined && (await store.history.find(node.uuid, query.marker)) === undefined) {
        throw historyNotFound(query.marker);
      }
      const entries = await store.history.list(node.uuid, page);
      const history = entries.map((entry) => present(request, entry, query.detail === true));
      const base = baseUrlOf(request, config.publicEndpoint);
      const next = nextUrl(request, `${base}/v1/nodes/${request.params.node}/history`, page, entries);
      return next === undefined ? { history } : { history, next };
    },
  );

  app.get<{ Params: { event: string } }>(
    '/v1/nodes/:node/history/:event',
    { config: { since: HISTORY_SINCE, hidesPath: true, doc: ENTRY_DOC } },
    async (request) => {
      const node = await nodeOf(store.nodes, request);
      const entry = await store.history.find(node.uuid, request.params.event);
      if (entry === undefined) throw historyNotFound(request.params.event);
      return present(request, entry, true);
    },
  );

  app.get(
    '/v1/nodes/:node/inventory',
    { config: { since: INVENTORY_SINCE, hidesPath: true, doc: INVENTORY_DOC } },
    async (request) => {
      const node = await nodeOf(store.nodes, request);
      const found = await store.inventory.get(node.uuid);
      if (found === undefined) {
        throw new IngotError(
          'notFound',
          `Node inventory record for node ${node.uuid} could not be found. It is made by "inspect".`,
        );
      }
      return { inventory: found.inventory, plugin_data: found.pluginData };
    },
  );
}
