/**
 * The parts of the façade's OpenAPI document besides its routes.
 */

import type { FastifyContextConfig } from 'fastify';
import type { RouteAccess } from '../kit/documented-routes.ts';
import type { ApiDescription } from '../kit/openapi.ts';

/** The access of a route is its policy. */
export const cloudAccess = (
  _method: string,
  { config }: { readonly config?: FastifyContextConfig | undefined },
): RouteAccess | undefined =>
  config?.access === undefined ? undefined : { policy: config.access, isOpen: config.access === 'public' };

const message = { type: 'string' };
const code = { type: 'integer' };
const inside = (fields: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
});

/** Prefix of a service -> the body of its errors. */
const ERRORS: Readonly<Record<string, ReturnType<ApiDescription['errorOf']>>> = {
  '/compute': {
    title: 'ComputeError',
    type: 'object',
    description: 'One field, named for the kind of error: itemNotFound, badRequest, conflictingRequest, ...',
    additionalProperties: inside({ code, message }),
    minProperties: 1,
    maxProperties: 1,
  },
  '/network': {
    title: 'NetworkError',
    ...inside({ NeutronError: inside({ type: message, message, detail: message }) }),
  },
};
const ERROR = { title: 'Error', ...inside({ error: inside({ code, message, title: message }) }) };

const VERSION_PARAMETER = {
  name: 'OpenStack-API-Version',
  in: 'header',
  description: 'Microversion of the compute API: "compute 2.73", or "compute latest". 2.1 without it.',
  schema: { type: 'string', pattern: '^compute (2\\.[0-9]+|latest)$', default: 'compute 2.1' },
};

const serviceOf = (url: string): string => /^\/[^/]+/.exec(url)?.[0] ?? '';
const isCompute = (url: string): boolean => url.startsWith('/compute/v2.1/');

export const CLOUD_API: ApiDescription = {
  title: 'Ingot compute façade',
  description:
    'Servers on bare metal. /compute speaks the OpenStack Compute API (Nova) 2.1 to 2.73, /image the Image API (Glance) v2.7, /network the Networking API (Neutron) v2.0, /identity the Identity API (Keystone) v3.',
  // The operator selects one: no authentication, name and password, or a token.
  security: [{}, { basic: [] }, { token: [] }],
  securitySchemes: {
    basic: { type: 'http', scheme: 'basic' },
    token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
  },
  parameters: { version: VERSION_PARAMETER },
  sharedParameters: (url) => (isCompute(url) ? ['version'] : []),
  errorOf: (url) => ERRORS[serviceOf(url)] ?? ERROR,
  tagOf(url) {
    const [, service = '', ...path] = url.split('/');
    const resource = path.find((part) => !/^v\d/.test(part) && !part.startsWith(':') && part !== '');
    return resource === undefined ? service : `${service}: ${resource}`;
  },
  versionText: (minor, url) => (isCompute(url) && minor > 1 ? `2.${minor}` : undefined),
};
