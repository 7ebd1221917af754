/**
 * The versions of the image API, and the supported imports. Glance API v2.7, with hidden images and multihash;
 * several stores (2.8) are not supported.
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';

const NEWEST_MINOR = 7;

function versionsAt(base: string): JsonObject {
  const minors = Array.from({ length: NEWEST_MINOR + 1 }, (_, index) => NEWEST_MINOR - index);
  const links = [{ rel: 'self', href: `${base}/v2/` }];
  return {
    versions: minors.map((minor) => ({
      id: `v2.${minor}`,
      status: minor === NEWEST_MINOR ? 'CURRENT' : 'SUPPORTED',
      links,
    })),
  };
}

export const IMPORT_METHODS = ['web-download'] as const;

/** `baseOf`: base URL of this service, without a trailing slash. */
export function registerVersions(app: App, baseOf: (request: FastifyRequest) => string): void {
  // 300: multiple choices; clients select one by its id.
  for (const [path, status] of [
    ['/', 300],
    ['/versions', 200],
    ['/v2', 300],
  ] as const) {
    app.get(
      path,
      described('public', 'List the versions of the image API', { status: '2XX', list: 'versions' }),
      async (request, reply) => reply.code(status).send(versionsAt(baseOf(request))),
    );
  }
  app.get(
    '/v2/info/import',
    described('reader', 'Show the ways to import an image', { item: 'import-methods' }),
    async () => ({
      'import-methods': { description: 'Import methods available.', type: 'array', value: IMPORT_METHODS },
    }),
  );
  app.get('/v2/info/stores', described('reader', 'Refused: there is one store'), async () => {
    throw new IngotError('notFound', 'Multi backend is not supported at this site: there is one store.');
  });
}
