/**
 * Aggregates of machines, which define availability zones. Nova's /os-aggregates.
 */

import { randomUUID } from 'node:crypto';
import { type Aggregate, ZONE_KEY } from '../../../domain/compute.ts';
import { IngotError, notFound } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import type { Store } from '../../../domain/store/store.ts';
import {
  type Neighbourhood,
  withHost,
  withMetadata,
  withoutHost,
} from '../../../servers/places/aggregate-changes.ts';
import { everyMachine } from '../../../servers/places/machines.ts';
import { zoneNameOf } from '../../../servers/places/zones.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { dictionary, nullable, object, optional, text } from '../../kit/readers.ts';
import { METADATA_KEY, named, readBody } from '../request.ts';
import { naiveTime } from '../time.ts';

/** First microversion that shows the uuid. */
const UUID = 41;

const ZONE = nullable(
  named({ pattern: /^[^:]*$/, rule: 'printable characters except :.Can not start or end with whitespace.' }),
);
const CREATE = object({ aggregate: object({ name: named(), [ZONE_KEY]: optional(ZONE) }) });
const UPDATE = object({ aggregate: object({ name: optional(named()), [ZONE_KEY]: optional(ZONE) }) });
const HOST = object({ host: text({ min: 1, max: 255, pattern: /^[a-zA-Z0-9-._]*$/ }) });
const ACTION = object({
  add_host: optional(HOST),
  remove_host: optional(HOST),
  set_metadata: optional(object({ metadata: dictionary(METADATA_KEY, nullable(text({ max: 255 }))) })),
});

interface ById {
  Params: { id: string };
}

export function aggregateRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  /** Stores the result of `changed` for the aggregate, in one transaction. */
  const change = (
    ident: string,
    changed: (
      aggregate: Aggregate,
      around: Neighbourhood,
    ) => Partial<Pick<Aggregate, 'name' | 'hosts' | 'metadata'>>,
  ): Promise<Aggregate> =>
    store.transaction(async (within) => {
      const aggregate = await find(within, ident);
      const patch = changed(aggregate, await neighbourhood(within, settings.host));
      return within.compute.aggregates.update(aggregate.uuid, patch, now());
    });

  app.get(
    '/os-aggregates',
    described('admin', 'List aggregates', { list: 'aggregates' }),
    async ({ minor }) => ({
      aggregates: (await listAll(store.compute.aggregates, {})).map((one) => view(one, minor)),
    }),
  );

  app.get<ById>(
    '/os-aggregates/:id',
    described('admin', 'Show an aggregate', { item: 'aggregate' }),
    async ({ params, minor }) => ({
      aggregate: view(await find(store, params.id), minor),
    }),
  );

  app.post(
    '/os-aggregates',
    described('admin', 'Create an aggregate', { body: CREATE, item: 'aggregate' }),
    async (request) => {
      const { name, [ZONE_KEY]: zone = null } = readBody(request, CREATE).aggregate;
      const metadata: Record<string, string> = zone === null ? {} : { [ZONE_KEY]: zone };
      const created = await store.compute.aggregates.create(
        { uuid: randomUUID(), name, hosts: [], metadata },
        now(),
      );
      const { hosts: _, metadata: __, ...shown } = view(created, request.minor);
      return { aggregate: shown };
    },
  );

  app.put<ById>(
    '/os-aggregates/:id',
    described('admin', 'Change the name or zone of an aggregate', { body: UPDATE, item: 'aggregate' }),
    async (request) => {
      const { aggregate: asked } = readBody(request, UPDATE);
      const { name, [ZONE_KEY]: zone } = asked;
      if (name === undefined && zone === undefined)
        throw new IngotError('invalidParameter', "One of 'name', 'availability_zone' is a required property");
      const aggregate = await change(request.params.id, (one, around) => ({
        name: name ?? one.name,
        // null is no zone's name
        ...(zone === undefined
          ? {}
          : { metadata: withMetadata(one, { [ZONE_KEY]: zone ?? '' }, around, 'Cannot update aggregate') }),
      }));
      return { aggregate: view(aggregate, request.minor) };
    },
  );

  app.delete<ById>(
    '/os-aggregates/:id',
    described('admin', 'Delete an aggregate'),
    async ({ params }, reply) => {
      await store.transaction(async (within) => {
        const { id, uuid, hosts } = await find(within, params.id);
        if (hosts.length > 0)
          throw new IngotError(
            'invalidParameter',
            `Cannot remove host from aggregate ${id}. Reason: Host aggregate is not empty.`,
          );
        await within.compute.aggregates.delete(uuid);
      });
      return reply.code(200).send();
    },
  );

  app.post<ById>(
    '/os-aggregates/:id/action',
    described('admin', 'Add or remove a host of an aggregate, or set its metadata', {
      body: ACTION,
      item: 'aggregate',
    }),
    async (request) => {
      const action = readBody(request, ACTION);
      if (Object.keys(action).length !== 1)
        throw new IngotError(
          'invalidParameter',
          'The body must have one of add_host, remove_host, set_metadata.',
        );
      const { add_host: add, remove_host: remove, set_metadata: set } = action;
      const aggregate = await change(request.params.id, (one, around) => {
        if (add !== undefined) return { hosts: withHost(one, add.host, around) };
        if (remove !== undefined) return { hosts: withoutHost(one, remove.host, around) };
        const changes = set?.metadata ?? {};
        return { metadata: withMetadata(one, changes, around, 'Cannot update metadata of aggregate') };
      });
      return { aggregate: view(aggregate, request.minor) };
    },
  );
}

/** By number. Throws invalidParameter for an invalid number, notFound. */
async function find({ compute }: Pick<Store, 'compute'>, ident: string): Promise<Aggregate> {
  if (!/^-?\d{1,15}$/.test(ident)) throw new IngotError('invalidParameter', 'id must be an integer');
  const [aggregate] = await listAll(compute.aggregates, { id: Number(ident) });
  if (aggregate !== undefined) return aggregate;
  throw notFound('Aggregate', ident);
}

async function neighbourhood(store: Store, host: string): Promise<Neighbourhood> {
  const [aggregates, machines, services] = [
    await listAll(store.compute.aggregates, {}),
    await everyMachine(store),
    await listAll(store.compute.computeServices, { binary: 'nova-compute' }),
  ];
  return { aggregates, machines, services: [host, ...services.map((service) => service.host)] };
}

function view(aggregate: Aggregate, minor: number): JsonObject {
  const { id, uuid, name, hosts, metadata, createdAt, updatedAt } = aggregate;
  return {
    id,
    ...(minor >= UUID ? { uuid } : {}),
    name,
    availability_zone: zoneNameOf(aggregate) ?? null,
    hosts,
    metadata,
    created_at: naiveTime(createdAt),
    updated_at: updatedAt && naiveTime(updatedAt),
    deleted: false,
    deleted_at: null,
  };
}
