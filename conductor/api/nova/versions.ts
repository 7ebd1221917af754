/**
 * Versions of the compute API: the documents that clients discover it by, and the microversion of each request.
 *
 *   /           both versions
 *   /v2.1       the current one, with microversions from 2.1 to MAX_MINOR
 *   /v2         the one before: as 2.1, but what it does not know in a body is passed over
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import { PREFIX, pathOf } from './path.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Microversion 2.`minor` of the request; 0 for the API before microversions. */
    minor: number;
  }
  interface FastifyContextConfig {
    /** First microversion that has the route; 404 before. */
    since?: number;
    /** Last microversion that has the route; 404 after. */
    until?: number;
  }
}

export const MIN_MINOR = 1;
/** As far as every shape is right. */
export const MAX_MINOR = 73;

const STANDARD_HEADER = 'OpenStack-API-Version';
const LEGACY_HEADER = 'X-OpenStack-Nova-API-Version';

const textOf = (minor: number): string => `2.${minor}`;

/**
 * Minor version that the headers ask for, 1 if they ask for none.
 * Throws invalidParameter for what is no version, notAcceptable for one we do not have.
 */
export function negotiate(standard: string | undefined, legacy: string | undefined): number {
  const asked = versionOf(standard, 'compute') ?? legacy?.split(',').at(-1)?.trim();
  if (asked === undefined) return MIN_MINOR;
  if (asked === 'latest') return MAX_MINOR;
  const [, major, minor] = /^([1-9]\d{0,8})\.([1-9]\d{0,8}|0)$/.exec(asked) ?? [];
  if (major === undefined) {
    throw new IngotError(
      'invalidParameter',
      `API Version String ${asked.slice(0, 64)} is of invalid format. Must be of format MajorNum.MinorNum.`,
    );
  }
  const number = Number(minor);
  if (major === '2' && number >= MIN_MINOR && number <= MAX_MINOR) return number;
  throw new IngotError(
    'notAcceptable',
    `Version ${asked} is not supported by the API. Minimum is ${textOf(MIN_MINOR)} and maximum is ${textOf(MAX_MINOR)}.`,
  );
}

/** `compute 2.5, image 2.3`: the last that is for this service. */
function versionOf(header: string | undefined, service: string): string | undefined {
  const parts = header?.split(',').map((part) => part.trim().split(/\s+/)) ?? [];
  return parts.findLast(([name, version]) => name === service && version !== undefined)?.[1];
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/**
 * Every request in this scope gets its microversion, and every answer says which one applied. The API before
 * microversions has the routes that 2.1 has.
 */
export function negotiateMicroversions(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    const { since = MIN_MINOR, until = MAX_MINOR } = request.routeOptions.config;
    const { headers } = request;
    if (pathOf(request).version === 'v2') {
      request.minor = 0;
      if (since > MIN_MINOR) throw notInThis(request, since, until);
      return;
    }
    request.minor = negotiate(
      first(headers['openstack-api-version']),
      first(headers['x-openstack-nova-api-version']),
    );
    const version = textOf(request.minor);
    reply.header(STANDARD_HEADER, `compute ${version}`).header(LEGACY_HEADER, version);
    reply.header('Vary', `${STANDARD_HEADER}, ${LEGACY_HEADER}`);
    if (request.minor < since || request.minor > until) throw notInThis(request, since, until);
  });
}

function notInThis({ method, minor }: FastifyRequest, since: number, until: number): IngotError {
  const needed = minor < since ? `${textOf(since)} or newer` : `${textOf(until)} or older`;
  return new IngotError(
    'notFound',
    `The resource could not be found. This ${method} needs compute API version ${needed}, the request uses ${textOf(minor)}.`,
  );
}

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
  version: textOf(MAX_MINOR),
  min_version: textOf(MIN_MINOR),
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
