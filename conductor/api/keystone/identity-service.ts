/**
 * The identity service: as much of Keystone (Identity API v3) as clients need that know a name and a password, for
 * conductors that have no Keystone. It keeps no users of its own: they are those of `api.auth`.
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
  /** URL of the bare-metal API for a caller who knows us by this name, without a port. */
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
