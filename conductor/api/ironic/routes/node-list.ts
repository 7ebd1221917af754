/**
 * Lists of nodes: `GET /v1/nodes`, `/v1/chassis/{chassis}/nodes`, and `/detail` of both.
 */
import { NODE_FIELDS, NODE_LIST_FIELDS, type NodeRow } from '@ingot/shared/ironic/node-fields.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { Node } from '../../../domain/node.ts';
import { isProvisionState } from '../../../domain/states.ts';
import type { NodeFilter, NodeStore } from '../../../domain/store/nodes.ts';
import type { App } from '../../kit/app.ts';
import { type FieldQuery, fieldFilter, filterArguments } from '../../kit/field-filters.ts';
import { listSchema } from '../../kit/field-schema.ts';
import { FIELD_ARGUMENTS, selectFields } from '../../kit/field-selection.ts';
import { nextUrl, PAGE_ARGUMENTS, parsePage } from '../../kit/paging.ts';
import { sendListText } from '../../kit/presentation.ts';
import { type Arguments, parseQuery, type Query } from '../../kit/query.ts';
import { listedProject } from '../auth/visibility.ts';
import type { ApiDeps } from '../deps.ts';
import { findNode } from '../node-lookup.ts';
import { NODE_SCHEMA, nodePresenter, nodeViewContext, storedFields } from '../node-view.ts';
import { CHILDREN_SINCE } from './node-children.ts';

/** Filters that do more than compare one field with one value. */
const SPECIAL_FILTERS = {
  associated: { kind: 'flag' },
  conductor: { kind: 'text', since: 49 },
  description_contains: { kind: 'text', since: 51 },
  project: { kind: 'text', since: 65 },
  shard: { kind: 'list', since: 82 },
  sharded: { kind: 'flag', since: 82 },
  include_children: { kind: 'flag', since: CHILDREN_SINCE },
} as const;
const FIELD_FILTERS = filterArguments(NODE_FIELDS);
type FilterQuery = Query<typeof SPECIAL_FILTERS> & FieldQuery<NodeRow>;
type ListQuery = FilterQuery & Query<typeof PAGE_ARGUMENTS & typeof FIELD_ARGUMENTS>;

const LIST_ARGUMENTS = { ...PAGE_ARGUMENTS, ...FIELD_FILTERS, ...SPECIAL_FILTERS } as const;
const DETAIL_ARGUMENTS = { ...LIST_ARGUMENTS, ...FIELD_ARGUMENTS } as const;
const readList = (request: FastifyRequest, known: Arguments) => parseQuery(request, known) as ListQuery;
const listDoc = (summary: string, query: Arguments) => ({
  config: { doc: { summary, query, answer: listSchema('nodes', NODE_SCHEMA) } },
});
const FAULTS = ['power failure', 'clean failure', 'rescue abort failure', 'service failure'];

/** Throws invalidParameter for a value that the field can not have. */
function checkFilter({ provision_state: state, fault }: FilterQuery): void {
  if (state !== undefined && !isProvisionState(state)) {
    throw new IngotError('invalidParameter', `Provision state "${state}" is not valid`);
  }
  if (fault !== undefined && !FAULTS.includes(fault)) {
    throw new IngotError(
      'invalidParameter',
      `Unrecognized fault "${fault}" is specified, allowed faults are ${FAULTS.join(', ')}`,
    );
  }
}

function filterOf(query: FilterQuery): NodeFilter {
  checkFilter(query);
  const filter = {
    ...fieldFilter(query, NODE_FIELDS),
    conductorGroup: query.conductor_group?.toLowerCase(),
    // childFilter() sets this field, because the value may be a name and include_children overrides it.
    parentNode: undefined,
    associated: query.associated,
    shards: query.shard,
    sharded: query.sharded,
    descriptionContains: query.description_contains,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Child nodes are listed only with include_children, parent_node or instance_uuid. */
async function childFilter(nodes: NodeStore, query: FilterQuery): Promise<NodeFilter> {
  if (query.include_children === true) return {};
  if (query.parent_node === undefined) return query.instance_uuid === undefined ? { child: false } : {};
  return { parentNode: (await nodes.find(query.parent_node))?.uuid ?? query.parent_node };
}

export function registerNodeLists(app: App, deps: ApiDeps): void {
  const { store, engine, config } = deps;

  async function list(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    query: ListQuery,
    names: readonly string[] | null,
    within: NodeFilter = {},
  ) {
    const page = parsePage(request, query, NODE_FIELDS, config.maxLimit);
    const project = listedProject(request, query.project);
    const filter = {
      ...filterOf(query),
      ...(await childFilter(store.nodes, query)),
      ...within,
      ...(project === undefined ? {} : { project }),
    };
    const { chassis_uuid: chassis } = query;
    if (chassis !== undefined) await store.chassis.get(chassis);
    const context = nodeViewContext(request, deps);
    // This conductor serves every node.
    const noneMatch = query.conductor !== undefined && query.conductor !== engine.conductor;
    if (page.marker !== undefined) await findNode(store.nodes, request, page.marker);
    const fields = storedFields(request.minor, names);
    // The presenter reads only these fields.
    const rows = noneMatch ? [] : ((await store.nodes.listShown(filter, page, fields)) as Node[]);
    const presenter = nodePresenter(context, names);
    const next =
      query.instance_uuid === undefined
        ? nextUrl(request, `${context.base}/v1/${path}`, page, rows)
        : undefined;
    return sendListText(reply, 'nodes', rows, presenter, next);
  }

  /** The nodes of the chassis in the path. */
  async function inChassis(request: FastifyRequest): Promise<NodeFilter> {
    const { chassis } = request.params as { chassis: string };
    await store.chassis.get(chassis);
    return { chassisUuid: chassis };
  }

  app.get('/v1/nodes', listDoc('List nodes', DETAIL_ARGUMENTS), async (request, reply) => {
    const query = readList(request, DETAIL_ARGUMENTS);
    return list(request, reply, 'nodes', query, selectFields(request, query, NODE_FIELDS, NODE_LIST_FIELDS));
  });

  app.get(
    '/v1/nodes/detail',
    listDoc('List nodes with all their fields', LIST_ARGUMENTS),
    async (request, reply) => list(request, reply, 'nodes/detail', readList(request, LIST_ARGUMENTS), null),
  );

  app.get<{ Params: { chassis: string } }>(
    '/v1/chassis/:chassis/nodes',
    listDoc('List the nodes of a chassis', DETAIL_ARGUMENTS),
    async (request, reply) => {
      const query = readList(request, DETAIL_ARGUMENTS);
      const names = selectFields(request, query, NODE_FIELDS, NODE_LIST_FIELDS);
      const path = `chassis/${request.params.chassis}/nodes`;
      return list(request, reply, path, query, names, await inChassis(request));
    },
  );

  app.get<{ Params: { chassis: string } }>(
    '/v1/chassis/:chassis/nodes/detail',
    listDoc('List the nodes of a chassis with all their fields', LIST_ARGUMENTS),
    async (request, reply) => {
      const query = readList(request, LIST_ARGUMENTS);
      const path = `chassis/${request.params.chassis}/nodes/detail`;
      return list(request, reply, path, query, null, await inChassis(request));
    },
  );
}
