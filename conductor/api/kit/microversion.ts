/**
 * The microversion of each request: negotiated before anything else, shown in every answer.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { App } from './app.ts';
import { RouterError } from './errors.ts';

/** How one API numbers its microversions, and the headers that it says them in. */
export interface Microversions {
  /** As in `OpenStack-API-Version: baremetal 1.82`. */
  readonly service: string;
  readonly min: number;
  readonly max: number;
  readonly headers: {
    readonly standard: string;
    /** Of this API alone. */
    readonly applied: string;
    readonly minimum: string;
    readonly maximum: string;
  };
  /** A version as clients write it. */
  text(minor: number): string;
  /** The version that two header values ask for. */
  negotiate(
    standard: string | undefined,
    own: string | undefined,
  ): { readonly ok: true; readonly minor: number } | { readonly ok: false; readonly reason: string };
  /** The version of requests for paths that have none; undefined: the request says which. */
  fixedFor(url: string): number | undefined;
  /** From this version on, answers have the id of the request in `X-OpenStack-Request-ID` too. */
  readonly requestIdSince?: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    microversions: Microversions;
  }
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

export function negotiateVersions(app: App, api: Microversions): void {
  const { headers, min, requestIdSince = Number.POSITIVE_INFINITY } = api;
  const [standardName, ownName] = [headers.standard.toLowerCase(), headers.applied.toLowerCase()];
  const [minText, maxText] = [api.text(min), api.text(api.max)];
  app.decorate('microversions', api);
  app.decorateRequest('minor', min);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(headers.minimum, minText);
    reply.header(headers.maximum, maxText);
    const fixed = api.fixedFor(request.url);
    if (fixed !== undefined) {
      request.minor = fixed;
      return done();
    }
    const standard = first(request.headers[standardName]);
    const asked = api.negotiate(standard, first(request.headers[ownName]));
    if (!asked.ok) return done(new RouterError(406, asked.reason));
    request.minor = asked.minor;
    reply.header(headers.applied, api.text(asked.minor));
    if (asked.minor >= requestIdSince) reply.header('X-OpenStack-Request-ID', request.id);
    if (standard !== undefined) {
      reply.header(headers.standard, `${api.service} ${api.text(asked.minor)}`);
      reply.header('Vary', headers.standard);
    }
    const { since = min, tooNew = 404 } = request.routeOptions.config;
    done(asked.minor < since ? new RouterError(tooNew) : undefined);
  });
}

/** Throws notAcceptable when `what` is newer than the request. */
export function requireVersion(request: FastifyRequest, since: number, what: string): void {
  if (request.minor >= since) return;
  const { text, headers } = request.server.microversions;
  throw new IngotError(
    'notAcceptable',
    `Request not acceptable. ${what} needs API version ${text(since)}, this request uses ${text(request.minor)}. Send ${headers.applied}: ${text(since)} or newer.`,
  );
}
