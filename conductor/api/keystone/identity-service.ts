/**
 * The identity service: the part of Keystone (Identity API v3) that clients with a name and password need, for
 * conductors without a Keystone. It has no users of its own: they are those of `api.auth`.
 */
import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { LocalIdentity } from '../../auth/authentication.ts';
import type { CloudService } from '../cloud/cloud-service.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import type { Place } from './catalog.ts';
import { registerDirectory } from './directory-routes.ts';
import { registerTokens } from './token-routes.ts';
import { registerVersionDocuments } from './version-documents.ts';

export interface IdentitySettings {
  readonly region: string;
  /** URL of the bare-metal API for a caller that uses this host name, without a port. */
  readonly bareMetalUrl: (hostname: string) => string;
}

export function createIdentityService(identity: LocalIdentity, settings: IdentitySettings): CloudService {
  return {
    type: 'identity',
    prefix: '/identity',
    errorBody: (code, message) => ({ error: { code, message, title: STATUS_CODES[code] ?? 'Error' } }),
    register(app, deps) {
      const placeOf = (request: FastifyRequest): Place => ({
        base: baseUrlOf(request, deps.settings.publicEndpoint),
        bareMetal: settings.bareMetalUrl(request.hostname),
        region: settings.region,
      });
      registerVersionDocuments(app, placeOf);
      registerTokens(app, { identity, placeOf });
      registerDirectory(app, { tokens: identity.tokens, placeOf });
    },
  };
}
