/**
 * Routes of networks, subnets and ports: list, show, create one or many, change, delete.
 */

import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import { described } from '../cloud/cloud-route.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { type QueryValues, valuesOf } from '../kit/query-values.ts';
import { type Collection, type Tagged, VERSION, versionUrl } from './collection.ts';
import { bodySchema, FIELDS_ARGUMENT, listArguments } from './collection-schemas.ts';
import { listOf, onlyFields } from './list-query.ts';
import { readPost, readPut } from './request-body.ts';
import { changeableRecord, visibleRecord } from './requested-record.ts';

export function registerCollection<T extends Tagged>(app: App, deps: ComputeDeps, of: Collection<T>): void {
  const { store } = deps;
  const { singular, plural } = of;
  const path = `${VERSION}/${plural}`;

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
      return { [singular]: onlyFields(await show(await visibleRecord(of, store, request), request), fields) };
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
        const record = await changeableRecord(of, tx, request);
        return of.update(tx, record, readPut(request.body, of, request.tenant), request.tenant);
      });
      return { [singular]: await show(changed, request) };
    },
  );

  app.delete(
    `${path}/:id`,
    described('member', `Delete a ${singular}`, { status: 204 }),
    async (request, reply) => {
      await store.transaction(async (tx) => of.remove(tx, await changeableRecord(of, tx, request)));
      return reply.code(204).send();
    },
  );
}
