/**
 * Flavors: list, show, create, describe, delete. Nova's /flavors.
 */

import { randomUUID } from 'node:crypto';
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import type { FastifyRequest } from 'fastify';
import type { Flavor } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { listAll } from '../../../domain/store/page.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { quote } from '../../kit/quote.ts';
import {
  integer,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  type Reader,
  since,
  text,
} from '../../kit/readers.ts';
import { inOrder } from '../../kit/sorting.ts';
import { byUuid, PAGE, type PagedList, pageOf } from '../page.ts';
import { boolean, named, printable, readBody, readQuery } from '../request.ts';
import { flavorOf, isAccessible } from './flavor-lookup.ts';
import { DESCRIPTION, flavorDetail, flavorSummary } from './flavor-view.ts';

const SORT_KEYS = {
  flavorid: 'uuid',
  created_at: 'createdAt',
  description: 'description',
  disabled: 'isDisabled',
  ephemeral_gb: 'ephemeralGb',
  id: 'id',
  is_public: 'isPublic',
  memory_mb: 'ramMb',
  name: 'name',
  root_gb: 'rootGb',
  rxtx_factor: 'rxtxFactor',
  swap: 'swapMb',
  updated_at: 'updatedAt',
  // we have no weights, so these are all alike
  vcpu_weight: 'id',
  vcpus: 'vcpus',
} as const satisfies Record<string, keyof Flavor>;

const LIST = {
  ...PAGE,
  is_public: text(),
  minRam: text(),
  minDisk: text(),
  sort_key: oneOf(Object.keys(SORT_KEYS) as (keyof typeof SORT_KEYS)[]),
  sort_dir: oneOf(['asc', 'desc']),
};

/** Text or a number; null and absent mean that an id is generated. */
const flavorId: Reader<string | null> = {
  schema: { type: ['null', 'string', 'number'], minLength: 1, maxLength: 255 },
  read: (value, at) =>
    value === null ? null : ID.read(typeof value === 'number' ? String(value) : value, at),
};
const ID = text({ min: 1, max: 255, pattern: /^(?! )[a-zA-Z0-9. _-]+(?<! )$/ });

const factor: Reader<number> = {
  schema: { type: ['number', 'string'], exclusiveMinimum: 0 },
  read(value, at) {
    const isNumber = typeof value === 'number' || (typeof value === 'string' && FACTOR.test(value));
    const number = Number(value);
    return isNumber && number > 0 && number <= MAX_FACTOR
      ? number
      : at.refuse(value, `${quote(value)} is not a number above 0`);
  },
};
const FACTOR = /^[0-9]+(\.[0-9]+)?$/;
/** The largest number in single precision. */
const MAX_FACTOR = 3.40282e38;

const description = nullable(printable(65_535));

const CREATE = {
  name: named(),
  id: optional(flavorId),
  ram: integer(1),
  vcpus: integer(1),
  disk: integer(),
  'OS-FLV-EXT-DATA:ephemeral': optional(integer()),
  swap: optional(integer()),
  rxtx_factor: optional(factor),
  'os-flavor-access:is_public': optional(boolean),
  description: since(DESCRIPTION, optional(description)),
};
const CREATE_BODY = object({ flavor: object(CREATE) });
const UPDATE_BODY = object({ flavor: object({ description }) });

interface ById {
  Params: { id: string };
}

export function flavorRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  const { publicEndpoint } = settings;
  const { flavors } = store.compute;

  for (const [path, view] of [
    ['flavors', flavorSummary],
    ['flavors/detail', flavorDetail],
  ] as const) {
    app.get(
      `/${path}`,
      described('reader', 'List flavors', { query: LIST, list: 'flavors' }),
      async (request) => {
        const query = readQuery(request, LIST);
        const isWanted = wanted(request, query);
        const sorted = inOrder((await listAll(flavors, {})).filter(isWanted), [
          {
            of: (flavor) => flavor[SORT_KEYS[query.sort_key ?? 'flavorid']],
            direction: query.sort_dir ?? 'asc',
          },
        ]);
        const list: PagedList<Flavor> = { key: 'flavors', path, idOf: ({ uuid }) => uuid };
        const { page, links } = pageOf(request, settings, list, query, sorted);
        return { flavors: page.map((flavor) => view(flavor, request, publicEndpoint)), ...links };
      },
    );
  }

  app.get<ById>('/flavors/:id', described('reader', 'Show a flavor', { item: 'flavor' }), async (request) => {
    const flavor = await flavorOf(store, request.params.id, request.tenant);
    return { flavor: flavorDetail(flavor, request, publicEndpoint) };
  });

  app.post(
    '/flavors',
    described('admin', 'Create a flavor', { body: CREATE_BODY, item: 'flavor' }),
    async (request) => {
      const { flavor: asked } = readBody(request, CREATE_BODY);
      const uuid = asked.id ?? randomUUID();
      const created = await store.transaction(async (within) => {
        const taken = await within.compute.flavors.list({ name: asked.name }, ONE);
        if (taken.length > 0)
          throw new IngotError('conflict', `Flavor with name ${asked.name} already exists.`);
        if ((await byUuid(within.compute.flavors, uuid)) !== undefined)
          throw new IngotError('conflict', `Flavor with ID ${uuid} already exists.`);
        return within.compute.flavors.create({ uuid, ...fieldsOf(asked) }, now());
      });
      return { flavor: flavorDetail(created, request, publicEndpoint) };
    },
  );

  app.put<ById>(
    '/flavors/:id',
    described('admin', 'Change the description of a flavor', {
      since: DESCRIPTION,
      body: UPDATE_BODY,
      item: 'flavor',
    }),
    async (request) => {
      const { flavor: asked } = readBody(request, UPDATE_BODY);
      const { uuid } = await flavorOf(store, request.params.id, request.tenant);
      const flavor = await flavors.update(uuid, asked, now());
      return { flavor: flavorDetail(flavor, request, publicEndpoint) };
    },
  );

  app.delete<ById>(
    '/flavors/:id',
    described('admin', 'Delete a flavor', { status: 202 }),
    async (request, reply) => {
      const { uuid } = await flavorOf(store, request.params.id, request.tenant);
      await flavors.delete(uuid);
      return reply.code(202).send();
    },
  );
}

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

function fieldsOf(asked: ObjectOf<typeof CREATE>): Omit<Flavor, 'id' | 'uuid' | 'createdAt' | 'updatedAt'> {
  return {
    name: asked.name,
    description: asked.description ?? null,
    vcpus: asked.vcpus,
    ramMb: asked.ram,
    rootGb: asked.disk,
    ephemeralGb: asked['OS-FLV-EXT-DATA:ephemeral'] ?? 0,
    swapMb: asked.swap ?? 0,
    rxtxFactor: asked.rxtx_factor ?? 1,
    isPublic: asked['os-flavor-access:is_public'] ?? true,
    isDisabled: false,
    projects: [],
    extraSpecs: {},
  };
}

interface Filters {
  readonly is_public?: string;
  readonly minRam?: string;
  readonly minDisk?: string;
}

/** The filter for the query. Only administrators see private flavors that are not shared with them. */
function wanted({ tenant }: FastifyRequest, query: Filters): (flavor: Flavor) => boolean {
  const leastRam = atLeast('minRam', query.minRam);
  const leastDisk = atLeast('minDisk', query.minDisk);
  const isPublic = tenant.isAdmin ? parseIsPublic(query.is_public) : true;
  const isShown = (flavor: Flavor): boolean => {
    if (isPublic === null) return true;
    return isPublic ? isAccessible(flavor, tenant) : !flavor.isPublic;
  };
  return (flavor) =>
    flavor.ramMb >= leastRam &&
    flavor.rootGb >= leastDisk &&
    isShown(flavor) &&
    (tenant.isAdmin || !flavor.isDisabled);
}

function atLeast(name: string, given: string | undefined): number {
  if (given === undefined) return 0;
  if (/^\s*[+-]?\d{1,15}\s*$/.test(given)) return Number(given);
  throw new IngotError('invalidParameter', `Invalid ${name} filter [${given.slice(0, 64)}]`);
}

/** Null: both kinds. */
function parseIsPublic(given: string | undefined): boolean | null {
  if (given === undefined) return true;
  if (given.trim().toLowerCase() === 'none') return null;
  const isPublic = parseFlag(given);
  if (isPublic !== undefined) return isPublic;
  throw new IngotError('invalidParameter', `Invalid is_public filter [${given.slice(0, 64)}]`);
}
