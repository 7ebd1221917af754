/**
 * One of the cloud APIs on the façade's port: where it lies, what its errors look like, what it serves.
 */
import type { JsonObject } from '../../domain/json.ts';
import type { Tenant } from '../../identity/tenant.ts';
import type { App } from '../kit/app.ts';
import type { ComputeDeps } from './deps.ts';

/**
 * Who may call a route: everybody, those who have proved who they are, those with a role in a project or the system,
 * those who may change things in their project, administrators. What belongs to another project is 404 to all but administrators, which handlers see to.
 */
export type Access = 'public' | 'token' | 'reader' | 'member' | 'admin';

export interface CloudService {
  /** As in the catalog. */
  readonly type: 'compute' | 'image' | 'network' | 'identity' | 'documentation';
  /** `/compute`: devstack's paths, so that all four fit on one port. */
  readonly prefix: string;
  /** A further header that this service names the request's id in. */
  readonly requestIdHeader?: string;
  /** A path with a slash at its end is 404 below a version, as for services that route with python3-routes. */
  readonly isStrictAboutSlashes?: true;
  /** The path that the routes have, where clients may use another for the same thing. */
  routedPath?(url: string): string;
  /** The body of an answer that is no success; `error` is what was thrown, if anything was. */
  errorBody(status: number, message: string, code: string, error?: unknown): JsonObject;
  register(app: App, deps: ComputeDeps): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; on public routes nobody's, with no rights. */
    tenant: Tenant;
  }
  interface FastifyContextConfig {
    /** Required on every route of the façade. */
    access?: Access;
    /** The body may take as long as it likes to come: the handler sees to it that it does come. */
    streamsBody?: boolean;
  }
}
