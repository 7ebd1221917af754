/**
 * The microversion of each request. It is negotiated before anything else, and every answer shows it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { App } from './app.ts';
import { RouterError } from './errors.ts';

/** The numbering of one API's microversions, and the headers for them. */
export interface Microversions {
  /** Name of the service, as in `OpenStack-API-Version: baremetal 1.82`. */
  readonly service: string;
  readonly min: number;
  readonly max: number;
  readonly headers: {
    readonly standard: string;
    /** The header of this API alone, such as `X-OpenStack-Ironic-API-Version`. */
    readonly applied: string;
    /** Headers for the range of microversions in every answer, if the API has such headers. */
    readonly minimum?: string;
    readonly maximum?: string;
  };
  /** Every answer has the standard header. Default: only answers to requests that have it. */
  readonly alwaysAnswersStandard?: true;
  /** The version as clients write it. */
  text(minor: number): string;
  /** Parses the version in a header; undefined: the request has no such header. */
  read(asked: string | undefined): ReadVersion;
  /** The version for paths without microversions; undefined: the version comes from the request's headers. */
  fixedFor(request: FastifyRequest): number | undefined;
  /** Error text for a route that the version of the request does not have. Default: no text. */
  absentText?(request: FastifyRequest, since: number, until: number): string;
  /** From this version on, answers also have the id of the request in `X-OpenStack-Request-ID`. */
  readonly requestIdSince?: number;
}

export type ReadVersion =
  | { readonly ok: true; readonly minor: number }
  /** 406: the version does not exist; 400: the text is not a version. */
  | { readonly ok: false; readonly reason: string; readonly status: 400 | 406 };

declare module 'fastify' {
  interface FastifyInstance {
    microversions: Microversions;
  }
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/**
 * The version for this service in `OpenStack-API-Version: compute 2.1, baremetal 1.50`. If the service is named more
 * than once, its last entry counts. Case is ignored.
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

/** Sets `request.minor` and the headers of the answer; returns an error for an invalid version. */
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

/** An error if the version of the request does not have the route. Versions below the oldest count as the oldest. */
function absence(request: FastifyRequest, api: Microversions): RouterError | undefined {
  const { since = api.min, until = api.max, tooNew = 404 } = request.routeOptions.config;
  const minor = Math.max(request.minor, api.min);
  if (minor >= since && minor <= until) return undefined;
  return new RouterError(tooNew, api.absentText?.(request, since, until));
}

/** Throws notAcceptable if `what` is newer than the request's microversion. */
export function requireVersion(request: FastifyRequest, since: number, what: string): void {
  if (request.minor >= since) return;
  const { text, headers } = request.server.microversions;
  throw new IngotError(
    'notAcceptable',
    `Request not acceptable. ${what} needs API version ${text(since)}, this request uses ${text(request.minor)}. Send ${headers.applied}: ${text(since)} or newer.`,
  );
}
