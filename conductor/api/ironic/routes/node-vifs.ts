/**
 * `/v1/nodes/{node}/vifs`. API 1.28. The network interface `noop` binds nothing: an attachment is checked but not
 * stored, as in Ironic.
 */

import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { App } from '../../kit/app.ts';
import { listSchema } from '../../kit/field-schema.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 28;
const PLACE_SINCE = 67;
const URL = '/v1/nodes/:node/vifs';
const PLACES = ['port_uuid', 'portgroup_uuid'] as const;

const LIST_DOC = {
  summary: 'List the attached VIFs',
  answer: listSchema('vifs', { type: 'object', properties: { id: { type: 'string' } } }),
};
/** In older requests any value is accepted. */
const PLACE = { description: 'A UUID; one place at most', 'x-since': '1.67' };
const ATTACH_DOC: RouteDoc = {
  summary: 'Attach a VIF',
  status: 204,
  body: {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1 },
      port_uuid: PLACE,
      portgroup_uuid: PLACE,
    },
    required: ['id'],
  },
};
const DETACH_DOC = { summary: 'Detach a VIF', status: 204 } as const;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerNodeVifs(app: App, { store }: ApiDeps): void {
  app.get(URL, { config: { since: SINCE, hidesPath: true, doc: LIST_DOC } }, async (request) => {
    await nodeOf(store.nodes, request);
    return { vifs: [] };
  });

  app.post(URL, { config: { since: SINCE, hidesPath: true, doc: ATTACH_DOC } }, async (request, reply) => {
    await nodeOf(store.nodes, request);
    const { body } = request;
    if (!isJsonObject(body) || typeof body['id'] !== 'string' || body['id'] === '') {
      throw invalid('Schema error for vif: the body must be an object with "id", the id of the VIF.');
    }
    const placed = PLACES.filter((name) => body[name] !== undefined);
    for (const name of placed) {
      if (request.minor >= PLACE_SINCE && !isUuid(String(body[name])))
        throw invalid(`Schema error for vif: "${name}" must be a UUID.`);
    }
    if (request.minor >= PLACE_SINCE && placed.length > 1) {
      throw invalid('Cannot specify both port_uuid and portgroup_uuid: a VIF has one place.');
    }
    return reply.code(204).send();
  });

  app.delete(
    `${URL}/:vif`,
    { config: { since: SINCE, hidesPath: true, doc: DETACH_DOC } },
    async (request, reply) => {
      await nodeOf(store.nodes, request);
      return reply.code(204).send();
    },
  );
}
