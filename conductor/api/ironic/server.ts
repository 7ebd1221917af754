/**
 * Creates the Fastify instance of a listener, with JSON bodies and their limits, request ids, API versions, and errors
 * in Ironic's forms.
 */

import { randomUUID } from 'node:crypto';
import { applicationError, routerError } from '@ingot/shared/ironic/error-body.ts';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { App, ServerTls } from '../kit/app.ts';
import { errorSender } from '../kit/errors.ts';
import { acceptJson } from '../kit/json-body.ts';
import { negotiateVersions } from '../kit/microversion.ts';
import { refuseUnknownArguments } from '../kit/route-doc.ts';
import { IRONIC_VERSIONS } from './microversions.ts';

/** Largest body for routes without a limit of their own. */
export const BODY_BYTES = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 120_000;
const MAX_PARAM_LENGTH = 512;
/** Paths that clients may send without `/v1`. */
const UNVERSIONED =
  /^\/(nodes|ports|portgroups|chassis|volume|allocations|deploy_templates|runbooks|inspection_rules|shards|events|drivers|conductors|lookup|heartbeat|continue_inspection)(?=[/?]|$)/;

const sendError = errorSender({ application: applicationError, router: routerError });

export function createServer(logger: FastifyBaseLogger, tls?: ServerTls): App {
  const app = Fastify({
    ...(tls === undefined ? {} : { https: tls }),
    loggerInstance: logger,
    // Fastify would log two lines for every request. logChanges logs one line for requests that change something.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: () => `req-${randomUUID()}`,
    rewriteUrl: (request) => {
      const url = request.url ?? '/';
      return UNVERSIONED.test(url) ? `/v1${url}` : url;
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    // These errors occur before any hook is called.
    frameworkErrors: (error, request, reply) => {
      markAnswer(request, reply);
      return sendError(error, request, reply);
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  }) as App;

  app.addHook('onRequest', (request, reply, done) => {
    markAnswer(request, reply);
    done();
  });
  app.decorateRequest('caller', null);
  negotiateVersions(app, IRONIC_VERSIONS);
  acceptJson(app);
  refuseUnknownArguments(app);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((_, reply) => reply.code(404).send(routerError(404)));
  return app;
}

/** Sets the headers of every answer. */
function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('OpenStack-Request-Id', request.id);
  // Answers contain one-time tokens, and states that change.
  reply.header('Cache-Control', 'no-store');
}

/** The routes of one path. */
interface ServedPath {
  readonly methods: Set<string>;
  /** Older requests get 404 for every method. */
  hiddenBefore: number;
}

/** Answers 405 for the methods that a path does not have. Call it after all routes are registered. */
export function refuseOtherMethods(app: App, paths: ReadonlyMap<string, ServedPath>): void {
  for (const [url, { methods, hiddenBefore }] of paths) {
    const missing = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.has(method));
    if (missing.length === 0) continue;
    const allow = [...methods].join(', ');
    app.route({
      method: missing,
      url,
      config: {
        guard: { policy: 'public', subject: null },
        undocumented: true,
        since: hiddenBefore,
      },
      handler: async (_, reply) => reply.code(405).header('Allow', allow).send(routerError(405)),
    });
  }
}

/** Collects the routes registered after this call, by path. */
export function collectPaths(app: App): Map<string, ServedPath> {
  const paths = new Map<string, ServedPath>();
  app.addHook('onRoute', ({ url, method, config }) => {
    const path = paths.get(url) ?? { methods: new Set(), hiddenBefore: 1 };
    for (const one of [method].flat()) path.methods.add(one);
    if (config?.hidesPath === true) path.hiddenBefore = config.since ?? 1;
    paths.set(url, path);
  });
  return paths;
}

/** Logs one line for every request except GET and those of ramdisks, without the query, which may contain anything. */
export function logChanges(app: App): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (request.method !== 'GET') logChange(request, reply);
    done();
  });
}

function logChange(request: FastifyRequest, reply: FastifyReply): void {
  const policy = request.routeOptions.config.guard?.policy;
  if (policy === 'public' || policy === 'ramdisk') return;
  const path = request.url.split('?', 1)[0];
  const took = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
  request.log.info(
    { method: request.method, path, user: request.caller?.user ?? null, from: request.ip, ...took },
    'request',
  );
}
