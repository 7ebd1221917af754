/**
 * The fastify instance that routes are registered on, and what the kit adds to its requests and routes.
 */
import type { FastifyInstance } from 'fastify';

export type App = FastifyInstance;

declare module 'fastify' {
  interface FastifyRequest {
    /** The minor number of the API microversion that applies to this request. */
    minor: number;
  }
  interface FastifyContextConfig {
    /** First API microversion that has this route; older requests get `tooNew`, 404 by default. */
    since?: number;
    /** Last API microversion that has this route; newer requests get `tooNew`, too. */
    until?: number;
    tooNew?: 404 | 405;
    /** Older requests get `tooNew` for the methods that the path does not have, too, and not 405. */
    hidesPath?: true;
    /** The route only refuses: it is left out of the OpenAPI document. */
    undocumented?: true;
    /** The field that makes a body large, for the error text. */
    bulk?: string;
    /** The route takes JSON without a Content-Type, as ironic-python-agent sends it. */
    untyped?: boolean;
  }
}
