/**
 * `/v1/nodes/{node}/vifs`. API 1.28. The noop network binds nothing: what is attached is checked and let go, as
 * Ironic's noop does.
 */

import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ApiDeps, App } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 28;
const PLACE_SINCE = 67;
const URL = '/v1/nodes/:node/vifs';
const PLACES = ['port_uuid', 'portgroup_uuid'] as const;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerNodeVifs(app: App, { store }: ApiDeps): void {
  const options = { config: { since: SINCE } };

  app.get(URL, options, async (request) => {
    await nodeOf(store.nodes, request);
    return { vifs: [] };
  });

  app.post(URL, options, async (request, reply) => {
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

  app.delete(`${URL}/:vif`, options, async (request, reply) => {
    await nodeOf(store.nodes, request);
    return reply.code(204).send();
  });
}
