/**
 * Extra specs of flavors: their requirements besides the size. Nova's /flavors/{id}/os-extra_specs. Specs that the
 * scheduler can not parse are rejected, as in Nova from 2.86 on.
 */

import type { Flavor } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { parseRequest } from '../../../scheduler/request-spec.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { dictionary, object, type Reader, text } from '../../kit/readers.ts';
import { METADATA_KEY, readBody } from '../request.ts';
import { flavorOf } from './flavor-lookup.ts';

const VALUE = text({ max: 255 });
/** Numbers are stored as text. */
const specValue: Reader<string> = {
  schema: { type: ['string', 'number'] },
  read: (value, at) => VALUE.read(typeof value === 'number' ? String(value) : value, at),
};
const SPECS = dictionary(METADATA_KEY, specValue);
const CREATE_BODY = object({ extra_specs: SPECS });

interface ById {
  Params: { id: string };
}
interface ByKey {
  Params: { id: string; key: string };
}

export function flavorExtraSpecRoutes(app: App, { store, now }: ComputeDeps): void {
  /** In one transaction, so that two simultaneous changes are both kept. */
  const change = (flavor: Flavor, changed: (specs: Flavor['extraSpecs']) => Flavor['extraSpecs']) =>
    store.transaction(async ({ compute }) => {
      const current = (await compute.flavors.list({ uuid: flavor.uuid }, ONE))[0] ?? flavor;
      const extraSpecs = changed(current.extraSpecs);
      checkReadable({ ...current, extraSpecs });
      await compute.flavors.update(flavor.uuid, { extraSpecs }, now());
    });

  app.get<ById>(
    '/flavors/:id/os-extra_specs',
    described('reader', 'List the extra specs of a flavor', { item: 'extra_specs' }),
    async (request) => {
      const { extraSpecs } = await flavorOf(store, request.params.id, request.tenant);
      return { extra_specs: extraSpecs };
    },
  );

  app.post<ById>(
    '/flavors/:id/os-extra_specs',
    described('admin', 'Add extra specs to a flavor', { body: CREATE_BODY, item: 'extra_specs' }),
    async (request) => {
      const { extra_specs: added } = readBody(request, CREATE_BODY);
      const flavor = await flavorOf(store, request.params.id, request.tenant);
      await change(flavor, (specs) => ({ ...specs, ...added }));
      return request.body;
    },
  );

  app.get<ByKey>(
    '/flavors/:id/os-extra_specs/:key',
    described('reader', 'Show an extra spec of a flavor'),
    async (request) => {
      const { id, key } = request.params;
      const { extraSpecs } = await flavorOf(store, id, request.tenant);
      if (!Object.hasOwn(extraSpecs, key)) throw noSuchKey(id, key);
      return { [key]: extraSpecs[key] };
    },
  );

  app.put<ByKey>(
    '/flavors/:id/os-extra_specs/:key',
    described('admin', 'Change an extra spec of a flavor', { body: { type: 'object' } }),
    async (request) => {
      const { id, key } = request.params;
      const given = readBody(request, SPECS);
      if (Object.keys(given).length !== 1)
        throw new IngotError('invalidParameter', 'The body must have one extra spec, that of the URL.');
      if (!Object.hasOwn(given, key))
        throw new IngotError('invalidParameter', 'Request body and URI mismatch');
      await change(await flavorOf(store, id, request.tenant), (specs) => ({ ...specs, ...given }));
      return request.body;
    },
  );

  app.delete<ByKey>(
    '/flavors/:id/os-extra_specs/:key',
    described('admin', 'Delete an extra spec of a flavor'),
    async (request, reply) => {
      const { id, key } = request.params;
      await change(await flavorOf(store, id, request.tenant), (specs) => {
        if (!Object.hasOwn(specs, key)) throw noSuchKey(id, key);
        return Object.fromEntries(Object.entries(specs).filter(([name]) => name !== key));
      });
      return reply.code(200).send();
    },
  );
}

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

const noSuchKey = (id: string, key: string): IngotError =>
  new IngotError('notFound', `Flavor ${id} has no extra specs with key ${key.slice(0, 255)}.`);

/** Throws invalidParameter with the scheduler's text. */
function checkReadable(flavor: Flavor): void {
  const parsed = parseRequest({ instanceUuids: [flavor.uuid], flavor });
  if (!parsed.ok) throw new IngotError('invalidParameter', `Validation failed: ${parsed.reason}`);
}
