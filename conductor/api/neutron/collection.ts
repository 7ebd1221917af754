/**
 * Routes that networks, subnets and ports have in common: list, show, create one or many, change, delete, tags.
 */

import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import type { Recorded, RecordPatch } from '../../domain/resources.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Tenant } from '../../identity/tenant.ts';
import type { NetworkError } from '../../network-service/network-error.ts';
import { refused } from '../../network-service/network-error.ts';
import { described } from '../cloud/cloud-route.ts';
import type { Access } from '../cloud/cloud-service.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import { type QueryValues, valuesOf } from '../kit/query-values.ts';
import { placeOf, tags as tagList } from './attributes.ts';
import { bodySchema, FIELDS_ARGUMENT, listArguments, TAGS_BODY } from './collection-schemas.ts';
import { listOf, onlyFields } from './list-query.ts';
import { type BodyRules, readPost, readPut, type Values } from './request-body.ts';

export interface Tagged extends Recorded {
  readonly tags: readonly string[];
}

export interface Collection<T extends Tagged> extends BodyRules {
  /** Who may make, change and delete. Others who may change things hear 404 of what they do not see, then 403. */
  readonly writes: Access;
  readonly notFound: (id: string) => NetworkError;
  readonly records: (store: Store) => {
    find(uuid: string): Promise<T | undefined>;
    update(uuid: string, patch: RecordPatch<T>, now: Date): Promise<T>;
  };
  /** All that may match; `query` lets the store look at fewer. */
  load(store: Store, query: QueryValues): Promise<readonly T[]>;
  isVisible(store: Store, tenant: Tenant): Promise<(record: T) => boolean>;
  /** Looks up once what many need. The names it shows are the same for every record. */
  views(store: Store, tenant: Tenant): Promise<(record: T) => JsonObject>;
  /** Names that can be filtered and sorted by. */
  shown(tenant: Tenant): readonly string[];
  /** These three run in a transaction. */
  create(tx: Store, values: Values, tenant: Tenant): Promise<T>;
  update(tx: Store, record: T, values: Values, tenant: Tenant): Promise<T>;
  remove(tx: Store, record: T): Promise<void>;
}

export const VERSION = '/v2.0';

type Named = { readonly id: string; readonly tag?: string };

/** `http://host:port/network/v2.0`, as the caller reaches it. */
export const versionUrl = (request: FastifyRequest, { settings }: ComputeDeps): string =>
  `${baseUrlOf(request, settings.publicEndpoint)}/network${VERSION}`;

export function registerCollection<T extends Tagged>(app: App, deps: ComputeDeps, of: Collection<T>): void {
  const { store, now } = deps;
  const { singular, plural } = of;
  const path = `${VERSION}/${plural}`;
  const idOf = (request: FastifyRequest): string => (request.params as Named).id;

  /** What is there, for who may change it. */
  async function changeable(tx: Store, request: FastifyRequest): Promise<T> {
    const record = await found(tx, request);
    if (of.writes !== 'admin' || request.tenant.isAdmin) return record;
    throw refused.forbidden(
      `Policy doesn't allow ${request.method} of ${plural} to be performed: it needs the role admin.`,
    );
  }

  /** What the caller may not see is not there. */
  async function found(tx: Store, request: FastifyRequest): Promise<T> {
    const id = idOf(request);
    const record = await of.records(tx).find(id);
    if (record === undefined || !(await of.isVisible(tx, request.tenant))(record)) throw of.notFound(id);
    return record;
  }

  const show = async (record: T, { tenant }: FastifyRequest): Promise<JsonObject> =>
    (await of.views(store, tenant))(record);

  app.get(
    path,
    described('reader', `List ${plural}`, { query: listArguments(of), list: plural }),
    async (request) => {
      const { tenant } = request;
      const query = request.query as QueryValues;
      const [all, isVisible, view] = await Promise.all([
        of.load(store, query),
        of.isVisible(store, tenant),
        of.views(store, tenant),
      ]);
      const { items, next, previous } = listOf(all.filter(isVisible).map(view), query, of.shown(tenant));
      const links = Object.entries({ next, previous }).flatMap(([rel, params]) =>
        params === null ? [] : [{ rel, href: `${versionUrl(request, deps)}/${plural}?${params}` }],
      );
      return { [plural]: items, ...(links.length === 0 ? {} : { [`${plural}_links`]: links }) };
    },
  );

  app.get(
    `${path}/:id`,
    described('reader', `Show a ${singular}`, { query: FIELDS_ARGUMENT, item: singular }),
    async (request) => {
      const fields = valuesOf(request.query as QueryValues, 'fields');
      return { [singular]: onlyFields(await show(await found(store, request), request), fields) };
    },
  );

  app.post(
    path,
    described(of.writes, `Create a ${singular}, or several`, {
      body: bodySchema(of, 'post'),
      status: 201,
      item: singular,
    }),
    async (request, reply) => {
      const { isBulk, all } = readPost(request.body, of, request.tenant);
      const made = await store.transaction(async (tx) => {
        const records: T[] = [];
        for (const values of all) records.push(await of.create(tx, values, request.tenant));
        return records;
      });
      const view = await of.views(store, request.tenant);
      reply.code(201);
      return isBulk ? { [plural]: made.map(view) } : { [singular]: view(made[0]!) };
    },
  );

  app.put(
    `${path}/:id`,
    described('member', `Change a ${singular}`, { body: bodySchema(of, 'put'), item: singular }),
    async (request) => {
      const changed = await store.transaction(async (tx) => {
        const record = await changeable(tx, request);
        return of.update(tx, record, readPut(request.body, of, request.tenant), request.tenant);
      });
      return { [singular]: await show(changed, request) };
    },
  );

  app.delete(
    `${path}/:id`,
    described('member', `Delete a ${singular}`, { status: 204 }),
    async (request, reply) => {
      await store.transaction(async (tx) => of.remove(tx, await changeable(tx, request)));
      return reply.code(204).send();
    },
  );

  /** Tags come and go one by one, too: what is there is read where it is changed. */
  const retag = (request: FastifyRequest, change: (tags: readonly string[]) => unknown): Promise<T> =>
    store.transaction(async (tx) => {
      const record = await changeable(tx, request);
      const tags = tagList.read(change(record.tags), placeOf('tags', refused.invalidInput));
      return of.records(tx).update(record.uuid, { tags } as RecordPatch<T>, now());
    });
  const tagOf = (request: FastifyRequest): string => (request.params as Named).tag ?? '';
  const noTag = (request: FastifyRequest): NetworkError =>
    refused.tagNotFound(tagOf(request).slice(0, 64), idOf(request));

  app.get(
    `${path}/:id/tags`,
    described('reader', `List the tags of a ${singular}`, { list: 'tags' }),
    async (request) => ({ tags: (await found(store, request)).tags }),
  );
  app.put(
    `${path}/:id/tags`,
    described('member', `Replace the tags of a ${singular}`, { body: TAGS_BODY, list: 'tags' }),
    async (request) => {
      const given = (request.body as { readonly tags?: unknown } | null)?.tags;
      if (given === undefined) throw refused.invalidInput('Invalid tags body');
      return { tags: (await retag(request, () => given)).tags };
    },
  );
  app.delete(
    `${path}/:id/tags`,
    described('member', `Delete the tags of a ${singular}`, { status: 204 }),
    async (request, reply) => {
      await retag(request, () => []);
      return reply.code(204).send();
    },
  );
  app.get(
    `${path}/:id/tags/:tag`,
    described('reader', `Check whether a ${singular} has a tag`, { status: 204 }),
    async (request, reply) => {
      if (!(await found(store, request)).tags.includes(tagOf(request))) throw noTag(request);
      return reply.code(204).send();
    },
  );
  app.put(
    `${path}/:id/tags/:tag`,
    described('member', `Add a tag to a ${singular}`, { status: 201 }),
    async (request, reply) => {
      await retag(request, (tags) => (tags.includes(tagOf(request)) ? tags : [...tags, tagOf(request)]));
      return reply.code(201).send();
    },
  );
  app.delete(
    `${path}/:id/tags/:tag`,
    described('member', `Delete a tag of a ${singular}`, { status: 204 }),
    async (request, reply) => {
      await retag(request, (tags) => {
        if (!tags.includes(tagOf(request))) throw noTag(request);
        return tags.filter((tag) => tag !== tagOf(request));
      });
      return reply.code(204).send();
    },
  );
}
