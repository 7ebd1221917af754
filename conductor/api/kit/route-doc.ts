/**
 * The description of a route, in its `config.doc` beside the handler. The OpenAPI document is made of these
 * descriptions, and the fuzzer uses the document. Query arguments that are not named here are refused.
 */
import { IngotError } from '../../domain/errors.ts';
import type { App } from './app.ts';
import type { Arguments } from './query.ts';

/** JSON Schema 2020-12. A schema with a `title` becomes a component of the document under that name. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface RouteDoc {
  readonly summary: string;
  /** Arguments that the route takes; default: none. `any`: not known here, as for vendor methods. */
  readonly query?: Arguments | 'any';
  /** Schemas of the arguments, for routes that read them with readers and not with `query`. */
  readonly parameters?: Readonly<Record<string, JsonSchema>>;
  /** Schema of the body, for routes without a validating `schema.body`. */
  readonly body?: JsonSchema;
  /** Status of a success; default 200. `2XX`: any of them. */
  readonly status?: 200 | 201 | 202 | 204 | '2XX';
  /** Schema of the body of a success. */
  readonly answer?: JsonSchema;
  /** Default: JSON. */
  readonly contentType?: string;
  /** First microversion, for routes whose handler answers older requests with 406; they have no `config.since`. */
  readonly since?: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Description of the route for the OpenAPI document. */
    doc?: RouteDoc;
  }
}

/** Refuses arguments that the route does not take, by name, as Ironic does, before the handler reads the store. */
export function refuseUnknownArguments(app: App): void {
  app.addHook('preValidation', (request, _, done) => {
    const { doc } = request.routeOptions.config;
    if (doc === undefined || doc.query === 'any') return done();
    const known = doc.query ?? {};
    const unknown = Object.keys(request.query as object).filter((name) => !Object.hasOwn(known, name));
    if (unknown.length === 0) return done();
    done(new IngotError('invalidParameter', `Unexpected arguments: ${unknown.join(', ')}`));
  });
}
