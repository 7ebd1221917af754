/**
 * The routes that every collection has: list, detail, show, create, change, delete.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import type { Recorded } from '../../domain/resources.ts';
import type { App } from './app.ts';
import { baseUrlOf } from './base-url.ts';
import type { Collection, CollectionHost, CollectionRoutes } from './collection.ts';
import { type CollectionView, capital, createCollectionView, type ScopeQuery } from './collection-view.ts';
import { answerSchema, createSchema, listSchema, patchSchema } from './field-schema.ts';
import { FIELD_ARGUMENTS, selectFields } from './field-selection.ts';
import { PAGE_ARGUMENTS, type PageQuery } from './paging.ts';
import { type Arguments, parseQuery, type Query } from './query.ts';
import { parseCreate, patchedFields, patchOperations } from './resource-body.ts';
import type { JsonSchema, RouteDoc } from './route-doc.ts';

type Named = { Params: { ident: string } };
type ListQuery = PageQuery & ScopeQuery & { readonly fields?: readonly string[]; readonly detail?: boolean };
type FilterOf<T, A extends Arguments> = (
  request: FastifyRequest,
  query: Query<A>,
) => Promise<Partial<T>> | Partial<T>;

/** The values that all routes of one collection use. */
interface Parts<T extends Recorded, A extends Arguments> {
  readonly app: App;
  readonly host: CollectionHost;
  readonly collection: Collection<T, A>;
  readonly view: CollectionView<T>;
  readonly url: string;
  /** Title of the collection's schemas: `DeployTemplate`. */
  readonly title: string;
  readonly shape: JsonSchema;
}

export function registerCollection<T extends Recorded, A extends Arguments>(
  app: App,
  host: CollectionHost,
  collection: Collection<T, A>,
): CollectionRoutes<T, A> {
  const { path, singular, since, hidesPath } = collection;
  const title = singular.split(' ').map(capital).join('');
  const shape = answerSchema(title, collection.fields, collection.subResources);
  const view = createCollectionView(host, collection);
  const parts = { app, host, collection, view, url: `/v1/${path}`, title, shape };
  const versions = { since, ...(hidesPath === true ? { hidesPath } : {}) };
  registerLists(parts, parts.url, versions, (request, query) => collection.filterOf(query, request));
  registerShow(parts, versions);
  registerCreate(parts);
  registerPatch(parts);
  registerDelete(parts);
  return {
    shape,
    find: view.find,
    listUnder(owner, ownerSince, ownedBy) {
      const under = { since: Math.max(since, ownerSince), hidesPath: true } as const;
      registerLists(parts, `/v1/${owner}/${path}`, under, ownedBy);
    },
    present: (request, record, names = null) => view.present(request, record, names),
  };
}

interface Versions {
  readonly since: number;
  readonly hidesPath?: true;
}

/** The list at `url`, and the list with all fields at `url`/detail. */
function registerLists<T extends Recorded, A extends Arguments>(
  { app, collection, view, shape }: Parts<T, A>,
  url: string,
  versions: Versions,
  filterOf: FilterOf<T, A>,
): void {
  const { key, singular, fields, listFields, detailSince, filters } = collection;
  const plural = singular.endsWith('s') ? singular : `${singular}s`;
  const answer = listSchema(key, shape);
  const detail = detailSince === null ? {} : { detail: { kind: 'flag', since: detailSince } as const };
  const known = { ...PAGE_ARGUMENTS, ...filters, fields: FIELD_ARGUMENTS.fields, ...detail };
  const doc = { summary: `List ${plural}`, query: known, answer };
  app.get(url, { config: { ...versions, doc } }, async (request) => {
    const query = parseQuery<Arguments>(request, known) as ListQuery;
    const filter = await filterOf(request, query as Query<A>);
    return view.page(request, query, filter, selectFields(request, query, fields, listFields));
  });
  if (!collection.hasDetailPath) return;
  const detailArguments = { ...PAGE_ARGUMENTS, ...filters };
  const detailDoc = { summary: `List ${plural} with all their fields`, query: detailArguments, answer };
  app.get(`${url}/detail`, { config: { ...versions, doc: detailDoc } }, async (request) => {
    const query = parseQuery<Arguments>(request, detailArguments) as ListQuery;
    return view.page(request, query, await filterOf(request, query as Query<A>), null);
  });
}

function registerShow<T extends Recorded, A extends Arguments>(
  { app, collection, view, url, shape }: Parts<T, A>,
  versions: Versions,
): void {
  const known = { fields: FIELD_ARGUMENTS.fields };
  const doc = { summary: `Show a ${collection.singular}`, query: known, answer: shape };
  app.get<Named>(`${url}/:ident`, { config: { ...versions, doc } }, async (request) => {
    const names = selectFields(request, parseQuery(request, known), collection.fields, null);
    return view.present(request, await view.find(request, request.params.ident), names);
  });
}

function registerCreate<T extends Recorded, A extends Arguments>({
  app,
  host,
  collection,
  view,
  url,
  title,
  shape,
}: Parts<T, A>): void {
  const { singular, since, tooNewToChange: tooNew = 404, fields, required } = collection;
  const doc: RouteDoc = {
    summary: `Create a ${singular}`,
    body: createSchema(title, fields, required),
    status: 201,
    answer: shape,
  };
  app.post(url, { config: { since, tooNew, doc } }, async (request, reply) => {
    const values = parseCreate(request, singular, fields, required);
    const record = await collection.create(values, request);
    const base = baseUrlOf(request, host.publicEndpoint);
    reply.code(201).header('Location', `${base}${url}/${record.uuid}`);
    return view.present(request, record, null);
  });
}

function registerPatch<T extends Recorded, A extends Arguments>({
  app,
  collection,
  view,
  url,
  title,
  shape,
}: Parts<T, A>): void {
  const { singular, fields, tooNewToChange: tooNew = 404 } = collection;
  const patchable = new Map(fields.filter((field) => field.patch).map((field) => [field.wire, field]));
  const doc = { summary: `Change a ${singular}`, body: patchSchema(title, fields), answer: shape };
  const config = { since: collection.patchSince ?? collection.since, tooNew, doc };
  app.patch<Named>(`${url}/:ident`, { config }, async (request) => {
    const operations = patchOperations(request, patchable);
    const record = await view.find(request, request.params.ident);
    const stored = record as Readonly<Record<string, unknown>>;
    const document = Object.fromEntries(
      [...patchable.keys()].map((name) => [name, stored[camelCase(name)] ?? null]),
    ) as JsonObject;
    const changed = patchedFields(document, operations, patchable);
    const values = Object.fromEntries(changed.map(([{ wire }, value]) => [camelCase(wire), value]));
    return view.present(request, await collection.update(record, values, request), null);
  });
}

function registerDelete<T extends Recorded, A extends Arguments>({
  app,
  collection,
  view,
  url,
}: Parts<T, A>): void {
  const { singular, since, tooNewToChange: tooNew = 404 } = collection;
  const doc = { summary: `Delete a ${singular}`, status: 204 } as const;
  app.delete<Named>(`${url}/:ident`, { config: { since, tooNew, doc } }, async (request, reply) => {
    await collection.remove(await view.find(request, request.params.ident), request);
    return reply.code(204).send();
  });
}
