/**
 * The fastify instance that routes are registered on, and the fields that the kit adds to its requests and routes.
 */
import type { TlsOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';

export type App = FastifyInstance;

/** Makes a listener one of HTTPS. */
export type ServerTls = Pick<TlsOptions, 'cert' | 'key' | 'minVersion' | 'handshakeTimeout'>;

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
    /** For methods that the path does not have, older requests get `tooNew` instead of 405, too. */
    hidesPath?: true;
    /** The route only answers with errors, so the OpenAPI document leaves it out. */
    undocumented?: true;
    /** The field that makes bodies of this route large, for the error text. */
    bulk?: string;
    /** The route takes JSON without a Content-Type, as ironic-python-agent sends it. */
    untyped?: boolean;
  }
}
