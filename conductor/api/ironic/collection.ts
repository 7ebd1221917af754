/**
 * A resource as data: its field table, its filters and what happens at POST, PATCH and DELETE. The routes every
 * resource of Ironic has follow from it: list, detail, show, create, change, delete.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { isLogicalName, isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { allows, type PolicyName } from '../../domain/policy.ts';
import type { Recorded } from '../../domain/resources.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import type { App } from '../kit/app.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import { answerSchema, createSchema, listSchema, patchSchema } from '../kit/field-schema.ts';
import { FIELD_ARGUMENTS, selectFields, shownFields } from '../kit/field-selection.ts';
import { selfAndBookmark } from '../kit/links.ts';
import { nextUrl, PAGE_ARGUMENTS, type PageQuery, parsePage } from '../kit/paging.ts';
import { createPresenter, type Getter, plainGetter } from '../kit/presentation.ts';
import { type Arguments, parseQuery, type Query } from '../kit/query.ts';
import { type FieldValues, parseCreate, patchedFields, patchOperations } from '../kit/resource-body.ts';
import type { JsonSchema, RouteDoc } from '../kit/route-doc.ts';
import { listedProject, sees } from './auth/visibility.ts';
import type { ApiDeps } from './deps.ts';

export interface Collection<T extends Recorded, A extends Arguments> {
  /** Path under the version root: `ports`, `volume/targets`. */
  readonly path: string;
  /** Key of the list in answers: `ports`, `targets`. */
  readonly key: string;
  /** In error texts: `port`, `deploy template`. */
  readonly singular: string;
  /** First API microversion; older requests get 404. */
  readonly since: number;
  /** What older requests get for POST, PATCH and DELETE, where Ironic hides the methods and not the path. */
  readonly tooNewToChange?: 404 | 405;
  /** Older requests get 404 for every method. */
  readonly hidesPath?: true;
  /** PATCH came later than the rest. */
  readonly patchSince?: number;
  readonly fields: readonly WireField[];
  /** What a plain list shows; null for everything. */
  readonly listFields: readonly string[] | null;
  /** Fields a POST must have. */
  readonly required: readonly string[];
  /** Found by name from this microversion on. */
  readonly namesSince?: number;
  /** `GET /v1/<path>/detail` is there: resources younger than 1.43 have only `?detail=`. */
  readonly hasDetailPath: boolean;
  /** `?detail=` from this microversion on; null where the list has no such argument. */
  readonly detailSince: number | null;
  readonly filters: A;
  readonly store: RecordStore<T>;
  /** Values that are not a field of the record itself. */
  readonly getters?: Readonly<Record<string, Getter<T>>>;
  /** Fields that requests of some versions see in another form. */
  readonly formAt?: Readonly<Record<string, (minor: number) => Getter<T> | undefined>>;
  /** Shown as link arrays: `nodes` of a chassis. Name -> first microversion. */
  readonly subResources?: Readonly<Record<string, number>>;
  filterOf(query: Query<A>, request: FastifyRequest): Promise<Partial<T>> | Partial<T>;
  create(values: FieldValues, request: FastifyRequest): Promise<T>;
  update(record: T, values: FieldValues, request: FastifyRequest): Promise<T>;
  remove(record: T, request: FastifyRequest): Promise<void>;
}

export interface CollectionRoutes<T extends Recorded, A extends Arguments> {
  /** The record an identifier stands for. Throws invalidParameter, notFound. */
  find(request: FastifyRequest, ident: string): Promise<T>;
  /**
   * The same list under another resource, plain and in detail: `nodes/:node` gives `/v1/nodes/{node}/ports`.
   * `ownedBy` finds the owner and returns the filter that keeps what is its own.
   */
  listUnder(
    owner: string,
    since: number,
    ownedBy: (request: FastifyRequest, query: Query<A>) => Promise<Partial<T>>,
  ): void;
  /** Of one record in answers. */
  readonly shape: JsonSchema;
  present(request: FastifyRequest, record: T, names?: readonly string[] | null): Record<string, unknown>;
}

/** Arguments that any list may have among its filters, and that are no field of its records. */
interface ScopeQuery {
  readonly shard?: readonly string[];
  readonly conductor_groups?: readonly string[];
  readonly description_contains?: string;
}
type ListQuery = PageQuery & { readonly fields?: readonly string[]; readonly detail?: boolean };

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);
const capital = (text: string): string => text[0]?.toUpperCase() + text.slice(1);

function hiddenFrom({ caller }: FastifyRequest, policy: PolicyName | undefined): Getter<unknown> | undefined {
  if (policy === undefined || caller === null || allows(caller, policy)) return undefined;
  const text = `** Redacted - requires baremetal:${policy} permission. **`;
  return () => ({ redacted_contents: text });
}

export function registerCollection<T extends Recorded, A extends Arguments>(
  app: App,
  deps: ApiDeps,
  collection: Collection<T, A>,
): CollectionRoutes<T, A> {
  const { path, key, singular, since, fields, listFields, store } = collection;
  const { nodes } = deps.store;
  const { publicEndpoint, maxLimit } = deps.config;
  const url = `/v1/${path}`;
  const title = singular.split(' ').map(capital).join('');
  const plural = singular.endsWith('s') ? singular : `${singular}s`;
  const shape = answerSchema(title, fields, collection.subResources);
  const tooNew = collection.tooNewToChange ?? 404;
  const versions = { since, ...(collection.hidesPath === true ? { hidesPath: true as const } : {}) };
  const patchable = new Map(fields.filter((field) => field.patch).map((field) => [field.wire, field]));
  const missing = (ident: string): IngotError => notFound(capital(singular), ident);

  /** Throws notFound for what the caller may not see as for what is not there. */
  async function seen(request: FastifyRequest, ident: string): Promise<T> {
    const record = await store.find(ident);
    if (record === undefined || !(await sees(request, nodes, record))) throw missing(ident);
    return record;
  }

  function presenterOf(request: FastifyRequest, names: readonly string[] | null) {
    const base = baseUrlOf(request, publicEndpoint);
    const getter = (field: WireField): Getter<T> =>
      hiddenFrom(request, field.seenBy as PolicyName | undefined) ??
      collection.formAt?.[field.wire]?.(request.minor) ??
      collection.getters?.[field.wire] ??
      plainGetter<T>(field);
    const plain = createPresenter<T>(shownFields(fields, request.minor, names), getter, base, path);
    if (names !== null) return plain.present;
    const links = Object.entries(collection.subResources ?? {}).filter(([, minor]) => request.minor >= minor);
    return (record: T) => ({
      ...plain.present(record),
      ...Object.fromEntries(
        links.map(([name]) => [name, selfAndBookmark(base, `${path}/${record.uuid}/${name}`)]),
      ),
    });
  }

  /** One page of a list; `next` repeats the path that was asked for. */
  async function page(
    request: FastifyRequest,
    query: PageQuery & ScopeQuery,
    filter: Partial<T>,
    names: readonly string[] | null,
  ): Promise<Record<string, unknown>> {
    const asked = parsePage(request, query, fields, maxLimit);
    if (asked.marker !== undefined) await seen(request, asked.marker);
    const rows = await store.list(filter, asked, {
      project: listedProject(request),
      shards: query.shard,
      conductorGroups: query.conductor_groups?.map((group) => group.toLowerCase()),
      descriptionContains: query.description_contains,
    });
    const present = presenterOf(request, names);
    const items = rows.map((row) => present(row));
    const listPath = request.url.split('?', 1)[0]?.replace(/\/+$/, '');
    const next = nextUrl(request, `${baseUrlOf(request, publicEndpoint)}${listPath}`, asked, rows);
    return next === undefined ? { [key]: items } : { [key]: items, next };
  }

  function serveList(
    listUrl: string,
    versions: { readonly since: number; readonly hidesPath?: true },
    filterOf: (request: FastifyRequest, query: Query<A>) => Promise<Partial<T>> | Partial<T>,
  ): void {
    const { detailSince, filters, hasDetailPath } = collection;
    const detail = detailSince === null ? {} : { detail: { kind: 'flag', since: detailSince } as const };
    const known = { ...PAGE_ARGUMENTS, ...filters, fields: FIELD_ARGUMENTS.fields, ...detail };
    const doc = { summary: `List ${plural}`, query: known, answer: listSchema(key, shape) };
    app.get(listUrl, { config: { ...versions, doc } }, async (request) => {
      const query = parseQuery<Arguments>(request, known) as ListQuery;
      const filter = await filterOf(request, query as Query<A>);
      return page(request, query, filter, selectFields(request, query, fields, listFields));
    });
    if (!hasDetailPath) return;
    const detailArguments = { ...PAGE_ARGUMENTS, ...filters };
    const detailDoc = { ...doc, summary: `List ${plural} with all their fields`, query: detailArguments };
    app.get(`${listUrl}/detail`, { config: { ...versions, doc: detailDoc } }, async (request) => {
      const query = parseQuery<Arguments>(request, detailArguments);
      return page(request, query as PageQuery, await filterOf(request, query as Query<A>), null);
    });
  }

  const routes: CollectionRoutes<T, A> = {
    shape,

    async find(request, ident) {
      const named = collection.namesSince !== undefined && request.minor >= collection.namesSince;
      if (!isUuid(ident) && !named) throw invalid(`Expected a UUID but received ${ident}.`);
      if (!isUuid(ident) && !isLogicalName(ident)) {
        throw invalid(`Expected a logical name or UUID but received ${ident}.`);
      }
      return seen(request, isUuid(ident) ? ident.toLowerCase() : ident);
    },

    listUnder(owner, ownerSince, ownedBy) {
      serveList(`/v1/${owner}/${path}`, { since: Math.max(since, ownerSince), hidesPath: true }, ownedBy);
    },

    present: (request, record, names = null) => presenterOf(request, names)(record),
  };

  serveList(url, versions, (request, query) => collection.filterOf(query, request));

  const oneArguments = { fields: FIELD_ARGUMENTS.fields };
  const showDoc = { summary: `Show a ${singular}`, query: oneArguments, answer: shape };
  app.get<{ Params: { ident: string } }>(
    `${url}/:ident`,
    { config: { ...versions, doc: showDoc } },
    async (request) => {
      const query = parseQuery(request, oneArguments);
      const names = selectFields(request, query, fields, null);
      return routes.present(request, await routes.find(request, request.params.ident), names);
    },
  );

  const createDoc: RouteDoc = {
    summary: `Create a ${singular}`,
    body: createSchema(title, fields, collection.required),
    status: 201,
    answer: shape,
  };
  app.post(url, { config: { since, tooNew, doc: createDoc } }, async (request, reply) => {
    const values = parseCreate(request, singular, fields, collection.required);
    const record = await collection.create(values, request);
    const base = baseUrlOf(request, publicEndpoint);
    reply.code(201).header('Location', `${base}${url}/${record.uuid}`);
    return routes.present(request, record);
  });

  const patchDoc = { summary: `Change a ${singular}`, body: patchSchema(title, fields), answer: shape };
  const patchConfig = { since: collection.patchSince ?? since, tooNew, doc: patchDoc };
  app.patch<{ Params: { ident: string } }>(`${url}/:ident`, { config: patchConfig }, async (request) => {
    const operations = patchOperations(request, patchable);
    const record = await routes.find(request, request.params.ident);
    const document = Object.fromEntries(
      [...patchable.keys()].map((name) => [
        name,
        (record as Readonly<Record<string, unknown>>)[camelCase(name)] ?? null,
      ]),
    ) as JsonObject;
    const changed = patchedFields(document, operations, patchable);
    const values = Object.fromEntries(changed.map(([{ wire }, value]) => [camelCase(wire), value]));
    return routes.present(request, await collection.update(record, values, request));
  });

  const deleteDoc = { summary: `Delete a ${singular}`, status: 204 } as const;
  app.delete<{ Params: { ident: string } }>(
    `${url}/:ident`,
    { config: { since, tooNew, doc: deleteDoc } },
    async (request, reply) => {
      await collection.remove(await routes.find(request, request.params.ident), request);
      return reply.code(204).send();
    },
  );

  return routes;
}
