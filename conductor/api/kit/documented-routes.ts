/**
 * Collects the routes of an API with their descriptions while they are registered.
 */
import type { RouteOptions } from 'fastify';
import type { App } from './app.ts';
import type { JsonSchema, RouteDoc } from './route-doc.ts';

export interface DocumentedRoute {
  readonly method: string;
  /** In fastify's notation: `/v1/nodes/:node`. */
  readonly url: string;
  readonly doc: RouteDoc;
  /** Minor number of the first microversion that has the route; undefined: all have it. */
  readonly since: number | undefined;
  /** The policy that is checked for the caller; `isOpen`: the route needs no authentication. */
  readonly policy: string;
  readonly isOpen: boolean;
  readonly body: JsonSchema | undefined;
  /** Largest size of the body. */
  readonly maxBytes: number;
}

export interface RouteAccess {
  readonly policy: string;
  readonly isOpen: boolean;
}

type Route = Pick<RouteOptions, 'url' | 'config'>;

/**
 * Adds the routes registered from now on to `routes`. Throws for a route without a `config.doc`, and for a route that
 * `accessOf` does not know. `maxBytes` is the body limit of routes without a limit of their own.
 */
export function collectDocs(
  app: App,
  accessOf: (method: string, route: Route) => RouteAccess | undefined,
  maxBytes: number,
  routes: DocumentedRoute[] = [],
): readonly DocumentedRoute[] {
  app.addHook('onRoute', (route) => {
    if (route.config?.undocumented === true) return;
    for (const method of [route.method].flat()) {
      if (method === 'HEAD') continue;
      const access = accessOf(method, route);
      if (access === undefined) throw new Error(`No policy for ${method} ${route.url}`);
      routes.push({ ...documented(method, route, maxBytes), ...access });
    }
  });
  return routes;
}

function documented(
  method: string,
  { url, config, schema, bodyLimit }: RouteOptions,
  maxBytes: number,
): Omit<DocumentedRoute, keyof RouteAccess> {
  const doc = config?.doc;
  if (doc === undefined) throw new Error(`No description of ${method} ${url}: give the route a config.doc`);
  return {
    method,
    url,
    doc,
    since: doc.since ?? config?.since,
    body: method === 'GET' ? undefined : ((schema?.body as JsonSchema | undefined) ?? doc.body),
    maxBytes: bodyLimit ?? maxBytes,
  };
}
