/**
 * The microversion of each request: negotiated before anything else, shown in every answer.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
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
    /** The range in every answer, where the API has headers for it. */
    readonly minimum?: string;
    readonly maximum?: string;
  };
  /** Every answer has the standard header; without this, only answers to requests that have it. */
  readonly alwaysAnswersStandard?: true;
  /** A version as clients write it. */
  text(minor: number): string;
  /** The version that a header value asks for; undefined is a request without one. */
  read(asked: string | undefined): ReadVersion;
  /** The version of requests for paths that have none; undefined: the request says which. */
  fixedFor(request: FastifyRequest): number | undefined;
  /** Of a route that is not in the version of the request; none when left out. */
  absentText?(request: FastifyRequest, since: number, until: number): string;
  /** From this version on, answers have the id of the request in `X-OpenStack-Request-ID` too. */
  readonly requestIdSince?: number;
}

export type ReadVersion =
  | { readonly ok: true; readonly minor: number }
  /** 406 is a version that is not there, 400 a text that is no version. */
  | { readonly ok: false; readonly reason: string; readonly status: 400 | 406 };

declare module 'fastify' {
  interface FastifyInstance {
    microversions: Microversions;
  }
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/**
 * The version that a service is asked for in `OpenStack-API-Version: compute 2.1, baremetal 1.50`: the last one, and
 * letter case does not matter, as in the microversion-parse library of OpenStack's services.
 */
export function standardVersion(service: string, header: string | undefined): string | undefined {
  const parts = header?.split(',').map((part) => part.trim().split(/\s+/)) ?? [];
  return parts.findLast(([name, version]) => name?.toLowerCase() === service && version !== undefined)?.[1];
}

export function negotiateVersions(app: App, api: Microversions): void {
  const { headers, min } = api;
  const range = Object.entries({
    ...(headers.minimum && { [headers.minimum]: api.text(min) }),
    ...(headers.maximum && { [headers.maximum]: api.text(api.max) }),
  });
  app.decorate('microversions', api);
  app.decorateRequest('minor', min);
  app.addHook('onRequest', (request, reply, done) => {
    for (const [name, value] of range) reply.header(name, value);
    const fixed = api.fixedFor(request);
    if (fixed !== undefined) request.minor = fixed;
    const refusal = fixed === undefined ? negotiated(request, reply, api) : undefined;
    done(refusal ?? absence(request, api));
  });
}

/** Sets the version that the request asks for and says it in the answer; returns what is wrong with it. */
function negotiated(
  request: FastifyRequest,
  reply: FastifyReply,
  api: Microversions,
): RouterError | undefined {
  const { service, headers, requestIdSince = Number.POSITIVE_INFINITY } = api;
  const standard = first(request.headers[headers.standard.toLowerCase()]);
  const own = first(request.headers[headers.applied.toLowerCase()]);
  const version = api.read(standardVersion(service, standard) ?? own);
  if (!version.ok) return new RouterError(version.status, version.reason);
  const { minor } = version;
  const text = api.text(minor);
  request.minor = minor;
  reply.header(headers.applied, text);
  if (minor >= requestIdSince) reply.header('X-OpenStack-Request-ID', request.id);
  if (standard !== undefined || api.alwaysAnswersStandard) {
    reply.header(headers.standard, `${service} ${text}`);
    reply.header(
      'Vary',
      api.alwaysAnswersStandard ? `${headers.standard}, ${headers.applied}` : headers.standard,
    );
  }
  return undefined;
}

/** The refusal of a route that the version of the request does not have. Versions below the oldest count as it. */
function absence(request: FastifyRequest, api: Microversions): RouterError | undefined {
  const { since = api.min, until = api.max, tooNew = 404 } = request.routeOptions.config;
  const minor = Math.max(request.minor, api.min);
  if (minor >= since && minor <= until) return undefined;
  return new RouterError(tooNew, api.absentText?.(request, since, until));
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
