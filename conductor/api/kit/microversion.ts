/**
 * The microversion of each request: negotiated before anything else, shown in every answer.
 */
import {
  MAX_MINOR,
  MIN_MINOR,
  negotiate,
  VERSION_HEADERS,
  versionText,
} from '@ingot/shared/ironic/versions.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { App } from './app.ts';
import { RouterError } from './errors.ts';

/** The id of the request under a second name. */
const REQUEST_ID_SINCE = 107;

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Ironic's own paths; the version document at `/` and our extension answer whatever is asked,
 * the latter as with the newest version: Ironic's versions say nothing about it. */
const isVersioned = (url: string): boolean =>
  url === '/v1' || url.startsWith('/v1/') || url.startsWith('/v1?');

export function negotiateVersions(app: App): void {
  app.decorateRequest('minor', MIN_MINOR);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(VERSION_HEADERS.minimum, versionText(MIN_MINOR));
    reply.header(VERSION_HEADERS.maximum, versionText(MAX_MINOR));
    if (request.url.startsWith('/ingot/')) request.minor = MAX_MINOR;
    if (!isVersioned(request.url)) return done();
    const standard = first(request.headers['openstack-api-version']);
    const asked = negotiate(standard, first(request.headers['x-openstack-ironic-api-version']));
    if (!asked.ok) return done(new RouterError(406, asked.reason));
    request.minor = asked.minor;
    reply.header(VERSION_HEADERS.applied, versionText(asked.minor));
    if (asked.minor >= REQUEST_ID_SINCE) reply.header('X-OpenStack-Request-ID', request.id);
    if (standard !== undefined) {
      reply.header(VERSION_HEADERS.standard, `baremetal ${versionText(asked.minor)}`);
      reply.header('Vary', VERSION_HEADERS.standard);
    }
    const { since = MIN_MINOR, tooNew = 404 } = request.routeOptions.config;
    done(asked.minor < since ? new RouterError(tooNew) : undefined);
  });
}

/** Throws notAcceptable when `what` is newer than the request. */
export function requireVersion(request: FastifyRequest, since: number, what: string): void {
  if (request.minor >= since) return;
  throw new IngotError(
    'notAcceptable',
    `Request not acceptable. ${what} needs API version ${versionText(since)}, this request uses ${versionText(request.minor)}. Send ${VERSION_HEADERS.applied}: ${versionText(since)} or newer.`,
  );
}
