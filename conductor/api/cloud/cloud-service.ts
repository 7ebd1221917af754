/**
 * One of the cloud APIs on the façade's port: its path, the form of its errors, its routes.
 */
import type { JsonObject } from '../../domain/json.ts';
import type { Tenant } from '../../identity/tenant.ts';
import type { App } from '../kit/app.ts';
import type { ComputeDeps } from './deps.ts';

/**
 * Who may call a route: everybody, authenticated callers, callers with a role in a project or the system, members of
 * a project, administrators. Handlers answer 404 for resources of other projects to all but administrators.
 */
export type Access = 'public' | 'token' | 'reader' | 'member' | 'admin';

export interface CloudService {
  /** As in the catalog. */
  readonly type: 'compute' | 'image' | 'network' | 'identity' | 'documentation';
  /** `/compute`: the paths of devstack, so that all four services fit on one port. */
  readonly prefix: string;
  /** An additional header for the id of the request. */
  readonly requestIdHeader?: string;
  /** A path with a trailing slash is 404, as in services that use python3-routes. */
  readonly isStrictAboutSlashes?: true;
  /** Converts a path of a client to the path of its route. */
  routedPath?(url: string): string;
  /** The body of an error answer; `error` is the thrown error, if any. */
  errorBody(status: number, message: string, code: string, error?: unknown): JsonObject;
  register(app: App, deps: ComputeDeps): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The project and user of the request; without rights on public routes. */
    tenant: Tenant;
  }
  interface FastifyContextConfig {
    /** Required on every route of the façade. */
    access?: Access;
    /** The body may take any time to arrive: the handler limits the time. */
    streamsBody?: boolean;
  }
}
