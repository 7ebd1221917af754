/**
 * The version documents of the Identity API: v3, below `/identity`.
 */

import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import type { Place } from './catalog.ts';

const versionOf = ({ base }: Place): JsonObject => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${base}/identity/v3/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

export function registerVersionDocuments(app: App, placeOf: (request: FastifyRequest) => Place): void {
  app.get(
    '/',
    described('public', 'List the versions of the identity API', { status: '2XX', item: 'versions' }),
    async (request, reply) =>
      reply
        .code(300)
        .header('Location', `${placeOf(request).base}/identity/v3/`)
        .send({ versions: { values: [versionOf(placeOf(request))] } }),
  );
  app.get(
    '/v3',
    described('public', 'Show the version of the identity API', { item: 'version' }),
    async (request) => ({ version: versionOf(placeOf(request)) }),
  );
}
