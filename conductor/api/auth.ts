/**
 * Who may call: with `none` everybody, which is why that is for loopback; with `http_basic` those in a
 * bcrypt htpasswd file. Routes marked public are open in both.
 */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import type { ApiSettings, App } from './deps.ts';
import { openHtpasswd } from './htpasswd.ts';

export function authenticate(app: App, settings: ApiSettings): void {
  app.decorateRequest('user', null);
  if (settings.auth === 'http_basic') askForPassword(app, settings.htpasswdFile);
  else refuseForeignHosts(app, settings);
}

/** The answer to a missing or wrong password has a shape of its own, which clients know. */
const UNAUTHORIZED = { error: { message: 'Authorization required', code: 401 } };

function askForPassword(app: App, file: string | null): void {
  if (file === null) throw new IngotError('missingParameter', 'http_basic needs an htpasswd file');
  const users = openHtpasswd(file, (error) =>
    app.log.error({ err: error }, 'the htpasswd file can not be read again; its users stay as they were'),
  );
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.public) return;
    const given = basicCredentials(request.headers.authorization);
    if (given !== undefined && (await users.verify(given.name, given.password))) {
      request.user = given.name;
      return;
    }
    return reply.code(401).header('WWW-Authenticate', 'Basic realm="Baremetal API"').send(UNAUTHORIZED);
  });
}

/** RFC 7617. */
function basicCredentials(header: string | undefined): { name: string; password: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * A web page must not reach an API without authentication by giving its own name our address (DNS rebinding):
 * only addresses and the names we go by are taken as Host.
 */
function refuseForeignHosts(app: App, settings: ApiSettings): void {
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
  return (request.hostname ?? '').toLowerCase().replace(/^\[|\]$/g, '');
}
