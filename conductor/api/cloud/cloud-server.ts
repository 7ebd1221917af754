/**
 * The façade's listener: compute, image, network and identity on one port, each with its own form of errors.
 */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import type { Authentication } from '../../auth/authentication.ts';
import { IngotError } from '../../domain/errors.ts';
import { type Tenant, tenantOf } from '../../identity/tenant.ts';
import type { App, ServerTls } from '../kit/app.ts';
import { collectDocs, type DocumentedRoute } from '../kit/documented-routes.ts';
import { acceptJson } from '../kit/json-body.ts';
import { errorsOf, missingRoute } from './cloud-errors.ts';
import type { CloudService } from './cloud-service.ts';
import type { ComputeDeps } from './deps.ts';
import { documentService } from './document-service.ts';
import { cloudAccess } from './openapi.ts';

const BODY_BYTES = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 120_000;
const UNAUTHENTICATED: Tenant = { projectId: '', userId: '', isAdmin: false, isMember: false };

/** Creates the server. The caller starts and closes it. */
export function createCloudServer(
  given: readonly CloudService[],
  deps: ComputeDeps,
  authentication: Authentication,
  logger: FastifyBaseLogger,
  tls?: ServerTls,
): App {
  const documented: DocumentedRoute[] = [];
  const services = [...given, documentService(documented)];
  const serviceOf = (url: string) => services.find(({ prefix }) => url.startsWith(`${prefix}/`));
  const app = Fastify({
    ...(tls === undefined ? {} : { https: tls }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    // Limited per request, because some bodies are images: see below.
    requestTimeout: 0,
    genReqId: () => `req-${randomUUID()}`,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    rewriteUrl: ({ url = '/' }) => serviceOf(url)?.routedPath?.(url) ?? url,
    // HEAD of everything would be as many routes again, and no cloud API has it
    exposeHeadRoutes: false,
    // what the router refuses before any service is asked: paths that are too long or no text
    frameworkErrors: (error, request, reply) => {
      const service = serviceOf(request.url) ?? services[0];
      return service === undefined ? reply.send(error as never) : errorsOf(service)(error, request, reply);
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  }) as App;
  app.decorateRequest('tenant', undefined as never);
  acceptJson(app);
  /** Timers of requests whose bodies have not arrived yet. */
  const bodyTimers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  app.addHook('onRequest', (request, reply, done) => {
    request.tenant = UNAUTHENTICATED;
    const timer = setTimeout(() => request.raw.destroy(), REQUEST_TIMEOUT_MS);
    timer.unref();
    bodyTimers.set(request, timer);
    request.raw.once('close', () => clearTimeout(timer));
    reply.header('X-Openstack-Request-Id', request.id).header('Cache-Control', 'no-store');
    done();
  });
  logChanges(app);
  collectDocs(app, cloudAccess, BODY_BYTES, documented);
  for (const service of services)
    app.register(async (scope) => serve(scope, service), { prefix: service.prefix });

  function serve(scope: App, service: CloudService): void {
    const sendError = errorsOf(service);
    scope.setErrorHandler(sendError);
    scope.setNotFoundHandler((request, reply) =>
      sendError(missingRoute(request.method, pathOf(request)), request, reply),
    );
    scope.addHook('onRoute', ({ url, method, config }) => {
      if (config?.access === undefined)
        throw new Error(`No access for ${String(method)} ${url}: say who may call it`);
    });
    scope.addHook('onRequest', async (request, reply) => {
      if (service.requestIdHeader !== undefined) reply.header(service.requestIdHeader, request.id);
      authentication.checkSource?.(request);
      const { access, streamsBody } = request.routeOptions.config;
      if (access === undefined || access === 'public') return;
      const found = await authentication.callerOf(request);
      if ('header' in found) {
        const body = service.errorBody(
          401,
          'The request you have made requires authentication.',
          'unauthorized',
        );
        return reply.code(401).header('WWW-Authenticate', found.header).send(body);
      }
      request.tenant = tenantOf(found);
      if (service.isStrictAboutSlashes && pathOf(request).endsWith('/'))
        throw missingRoute(request.method, pathOf(request));
      if (access === 'token') return;
      // A caller without a scope is in no project and has no role.
      const hasRole = found.scope.kind !== 'none' && found.role !== null;
      const { isAdmin, isMember } = request.tenant;
      if (!hasRole || (access === 'admin' && !isAdmin) || (access === 'member' && !isMember)) {
        throw new IngotError(
          'forbidden',
          `Policy doesn't allow ${request.method} ${pathOf(request)} to be performed: it needs the role ${access}.`,
        );
      }
      if (streamsBody === true) clearTimeout(bodyTimers.get(request));
    });
    service.register(scope, deps);
  }
  return app;
}

/** Logs each request for a change, without its query, which may contain secrets. */
function logChanges(app: App): void {
  app.addHook('onResponse', async (request, reply) => {
    const { access = 'public' } = request.routeOptions.config;
    if (['GET', 'HEAD'].includes(request.method) || access === 'public') return;
    const { userId: user, projectId: project } = request.tenant;
    const took = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    request.log.info(
      { method: request.method, path: pathOf(request), user, project, from: request.ip, ...took },
      'request',
    );
  });
}

const pathOf = (request: FastifyRequest): string => request.originalUrl.split('?', 1)[0]!.slice(0, 255);
