/**
 * The content of the bare-metal API's OpenAPI document that does not come from its routes.
 */
import { MAX_MINOR, MIN_MINOR, VERSION_HEADERS, versionText } from '@ingot/shared/ironic/versions.ts';
import type { RouteAccess } from '../kit/documented-routes.ts';
import type { ApiDescription } from '../kit/openapi.ts';
import { guardOf } from './auth/route-policies.ts';

/** The access to a route by auth/route-policies.ts; undefined for a route without a row there. */
export function routeAccess(method: string, { url }: { readonly url: string }): RouteAccess | undefined {
  const policy = guardOf(method, url)?.policy;
  return policy === undefined ? undefined : { policy, isOpen: policy === 'public' || policy === 'ramdisk' };
}

const ERROR = {
  title: 'Error',
  type: 'object',
  properties: {
    error_message: {
      type: 'string',
      description:
        'JSON in a string: {"faultcode", "faultstring", "debuginfo"}, or {"code", "title", "description"} from the router',
      contentMediaType: 'application/json',
    },
  },
  required: ['error_message'],
};

const VERSION_PARAMETER = {
  name: VERSION_HEADERS.applied,
  in: 'header',
  description: 'API microversion of the request, or "latest". Without it the request is one of 1.1.',
  schema: { type: 'string', pattern: '^(1\\.[0-9]+|latest)$', default: versionText(MIN_MINOR) },
};

export const BARE_METAL_API: ApiDescription = {
  title: 'Ingot',
  description: `Bare-metal provisioning, speaking the OpenStack Ironic API ${versionText(MIN_MINOR)} to ${versionText(MAX_MINOR)}. Paths under /ingot/ are our own.`,
  // The operator chooses one: no authentication, a name and password, or a Keystone token.
  security: [{}, { basic: [] }, { keystone: [] }],
  securitySchemes: {
    basic: { type: 'http', scheme: 'basic' },
    keystone: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
  },
  parameters: { version: VERSION_PARAMETER },
  sharedParameters: (url) => (url === '/v1' || url.startsWith('/v1/') ? ['version'] : []),
  errorOf: () => ERROR,
  tagOf: (url) => /^(?:\/ingot)?\/v1\/(\w+)/.exec(url)?.[1] ?? 'versions',
  versionText: (minor) => (minor > MIN_MINOR ? versionText(minor) : undefined),
};
