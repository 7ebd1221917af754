/**
 * `PUT /v1/nodes/{node}/states/raid` and `/v1/drivers/{driver}/raid/logical_disk_properties`. API 1.12.
 */

import { IngotError } from '../../../domain/errors.ts';
import { parseRaidConfig } from '../../../domain/raid-config.ts';
import type { App } from '../../kit/app.ts';
import { requireVersion } from '../../kit/microversion.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { driverOf } from '../driver-lookup.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 12;

const SET_DOC: RouteDoc = {
  summary: 'Set the RAID configuration that cleaning is to build',
  since: SINCE,
  status: 204,
  body: { type: 'object', properties: { logical_disks: { type: 'array', items: { type: 'object' } } } },
};
const PROPERTIES_DOC = {
  summary: 'What a logical disk may have',
  since: SINCE,
  answer: { type: 'object', additionalProperties: { type: 'string' } },
};

export function registerNodeRaid(app: App, deps: ApiDeps): void {
  const { engine, store, now } = deps;

  app.put<{ Params: { node: string } }>(
    '/v1/nodes/:node/states/raid',
    { config: { doc: SET_DOC } },
    async (request, reply) => {
      requireVersion(request, SINCE, 'The RAID configuration');
      const { uuid } = await nodeOf(store.nodes, request);
      await engine.withNode(uuid, 'set RAID configuration', async (node) => {
        const { raid } = engine.hardwareOf(node).all;
        if (raid.logicalDiskProperties === undefined) {
          throw new IngotError(
            'notFound',
            `Driver ${node.driver} does not support RAID with the interface "${raid.name}" of node ${uuid}.`,
          );
        }
        const config = parseRaidConfig(request.body, raid.logicalDiskProperties);
        await store.nodes.update(uuid, { targetRaidConfig: config }, now());
      });
      return reply.code(204).send();
    },
  );

  app.get<{ Params: { driver: string } }>(
    '/v1/drivers/:driver/raid/logical_disk_properties',
    { config: { doc: PROPERTIES_DOC } },
    async (request) => {
      requireVersion(request, SINCE, 'Logical disk properties');
      const [first] = driverOf(engine.hardwareTypes, request.params.driver).interfaces.raid;
      if (first?.logicalDiskProperties !== undefined) return first.logicalDiskProperties;
      throw new IngotError(
        'notFound',
        `Driver ${request.params.driver} does not support RAID by its default interface (${first?.name ?? 'none'}).`,
      );
    },
  );
}
