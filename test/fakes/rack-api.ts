/**
 * A small API on top of conductor/api/kit, for its tests: server racks in memory, with their own microversions.
 */

import type { Collection, CollectionHost } from '@ingot/conductor/api/kit/collection.ts';
import { errorSender } from '@ingot/conductor/api/kit/errors.ts';
import type { Microversions } from '@ingot/conductor/api/kit/microversion.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import type { Recorded } from '@ingot/conductor/domain/resources.ts';
import type { Rows } from '@ingot/conductor/domain/store/page.ts';
import type { RecordScope } from '@ingot/conductor/domain/store/records.ts';
import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';

/** 1.1 to 1.20; the default is 1.1. */
export const RACK_VERSIONS: Microversions = {
  service: 'rack',
  min: 1,
  max: 20,
  headers: {
    standard: 'OpenStack-API-Version',
    applied: 'X-Rack-Version',
    minimum: 'X-Rack-Minimum',
    maximum: 'X-Rack-Maximum',
  },
  text: (minor) => `1.${minor}`,
  read(asked = '1.1') {
    const minor = Number(asked.split('.')[1]);
    if (minor <= 20) return { ok: true, minor };
    return { ok: false, status: 406, reason: `There is no version ${asked}` };
  },
  fixedFor: ({ url }) => (url.startsWith('/v1') ? undefined : 20),
  requestIdSince: 15,
};

export const sendRackError = errorSender({
  application: (status, text, code) => ({ status, text, code }),
  router: (status, text) => ({ router: status, text }),
});

export interface Rack extends Recorded {
  readonly name: string | null;
  readonly inUse: boolean;
  readonly notes: JsonObject;
  readonly owner: string | null;
}

const FIELDS = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['name', 1, 'text', 'cps'],
  ['in_use', 6, 'flag', 'cpf'],
  ['notes', 1, 'dict', 'cp'],
  ['owner', 7, 'text', 'c', { seenBy: 'rack:owner' }],
]);
const FILTERS = { in_use: { kind: 'flag', since: 6 } } as const;

export type RackCollection = Collection<Rack, typeof FILTERS>;

const uuidOf = (id: number): string => `00000000-0000-4000-8000-00000000000${id}`;
const rackOf = (fields: Partial<Rack> & Pick<Rack, 'id' | 'uuid'>): Rack => ({
  name: null,
  inUse: false,
  notes: {},
  owner: null,
  createdAt: new Date(0),
  updatedAt: null,
  ...fields,
});

/** Racks r1, r2 and r3; r3 is in use, r2 has an owner. */
export const RACKS: readonly [Rack, Rack, Rack] = [
  rackOf({ id: 1, uuid: uuidOf(1), name: 'r1' }),
  rackOf({ id: 2, uuid: uuidOf(2), name: 'r2', owner: 'alice' }),
  rackOf({ id: 3, uuid: uuidOf(3), name: 'r3', inUse: true }),
];

/** A collection of these racks. `told` records the calls of the store and the collection. */
export function rackCollection(changes: Partial<RackCollection> = {}) {
  const told: unknown[] = [];
  const store = {
    find: async (ident: string) => RACKS.find(({ uuid, name }) => ident === uuid || ident === name),
    async list(filter: Partial<Rack>, rows: Rows, scope?: RecordScope) {
      told.push({ filter, rows, scope });
      const start = RACKS.findIndex(({ uuid }) => uuid === rows.marker) + 1;
      return RACKS.filter(({ inUse }) => filter.inUse === undefined || inUse === filter.inUse).slice(
        start,
        start + (rows.limit ?? RACKS.length),
      );
    },
  };
  const collection: RackCollection = {
    path: 'racks',
    key: 'racks',
    singular: 'server rack',
    since: 3,
    patchSince: 4,
    tooNewToChange: 405,
    fields: FIELDS,
    listFields: ['uuid', 'name'],
    required: ['name'],
    namesSince: 5,
    hasDetailPath: true,
    detailSince: 9,
    filters: FILTERS,
    store: store as unknown as RackCollection['store'],
    filterOf: ({ in_use: inUse }) => (inUse === undefined ? {} : { inUse }),
    async create(values) {
      told.push({ create: values });
      return rackOf({ id: 4, uuid: uuidOf(4), ...values });
    },
    async update(rack, values) {
      told.push({ update: rack.name, values });
      return { ...rack, ...values };
    },
    async remove({ name }) {
      told.push({ remove: name });
    },
    ...changes,
  };
  return { collection, told };
}

/** Every caller sees everything. */
export const rackHost = (changes: Partial<CollectionHost> = {}): CollectionHost => ({
  publicEndpoint: 'http://api',
  maxLimit: 2,
  sees: async () => true,
  listedProject: () => undefined,
  redacted: () => undefined,
  ...changes,
});

/** The parts of a request that the kit reads; `minor` is its version. */
export const rackRequest = (minor: number, more: object = {}): FastifyRequest =>
  ({ minor, query: {}, url: '/v1/racks', server: { microversions: RACK_VERSIONS }, ...more }) as never;
