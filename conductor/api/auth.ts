/**
 * Who may call: with `none` everybody, which is why that is for loopback; with `http_basic` those in a
 * bcrypt htpasswd file. Routes marked public are open in both.
 */

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import type { ApiSettings, App } from './deps.ts';

/**
 * A web page must not reach an API without authentication by giving its own name our address:
 * only addresses and the names we go by are taken as Host.
 */
export function refuseForeignHosts(app: App, settings: ApiSettings): void {
  const ours = new Set(['localhost', settings.host.toLowerCase(), nameIn(settings.publicEndpoint)]);
  app.addHook('onRequest', async (request) => {
    const name = hostName(request);
    if (isIP(name) !== 0 || ours.has(name)) return;
    throw new IngotError(
      'forbidden',
      `This API has no authentication and does not answer to the name "${name.slice(0, 255)}". Use its address, or set api.public_endpoint.`,
    );
  });
}

const nameIn = (url: string | null): string => (url === null ? '' : (URL.parse(url)?.hostname ?? ''));

/** Host without port and brackets. */
function hostName(request: FastifyRequest): string {
  return request.hostname.toLowerCase().replace(/^\[|\]$/g, '');
}
