/**
 * The documents by which clients discover the compute API.
 *
 *   /           both versions
 *   /v2.1       the current one, with microversions from 2.1 to MAX_MINOR
 *   /v2         the previous one: like 2.1, but unknown fields of a body are ignored
 */

import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import { MAX_MINOR, MIN_MINOR, versionText } from './microversions.ts';
import { PREFIX } from './path.ts';

interface Version {
  readonly id: string;
  readonly path: string;
  readonly status: 'SUPPORTED' | 'CURRENT';
  readonly version: string;
  readonly min_version: string;
  readonly updated: string;
  readonly mediaType: string;
}

const V20: Version = {
  id: 'v2.0',
  path: '/v2/',
  status: 'SUPPORTED',
  version: '',
  min_version: '',
  updated: '2011-01-21T11:33:21Z',
  mediaType: 'application/vnd.openstack.compute+json;version=2',
};

const V21: Version = {
  id: 'v2.1',
  path: '/v2.1/',
  status: 'CURRENT',
  version: versionText(MAX_MINOR),
  min_version: versionText(MIN_MINOR),
  updated: '2013-07-23T11:33:21Z',
  mediaType: 'application/vnd.openstack.compute+json;version=2.1',
};

export function versionDocuments(app: App, publicEndpoint: string | null): void {
  const baseOf = (request: FastifyRequest) => `${baseUrlOf(request, publicEndpoint)}${PREFIX}`;
  app.get(
    '/',
    described('public', 'List the versions of the compute API', { list: 'versions' }),
    async (request) => ({
      versions: [V20, V21].map((version) => summary(version, baseOf(request))),
    }),
  );
  for (const version of [V20, V21])
    app.get(
      version.path,
      described('public', 'Show a version of the compute API', { item: 'version' }),
      async (request) => ({ version: document(version, baseOf(request)) }),
    );
}

function summary({ path, mediaType: _, ...fields }: Version, base: string): JsonObject {
  return { ...fields, links: [{ rel: 'self', href: `${base}${path}` }] };
}

function document(version: Version, base: string): JsonObject {
  const { links, ...fields } = summary(version, base);
  return {
    ...fields,
    links: [
      ...(links as readonly JsonObject[]),
      { rel: 'describedby', type: 'text/html', href: 'http://docs.openstack.org/' },
    ],
    'media-types': [{ base: 'application/json', type: version.mediaType }],
  };
}
