/**
 * What a route tells about itself, in its `config.doc` beside the handler. The OpenAPI document is made of it, the
 * fuzzer is made of the document, and query arguments that are not named here are refused.
 */
import { IngotError } from '../../domain/errors.ts';
import type { App } from './app.ts';
import type { Arguments } from './query.ts';

/** JSON Schema 2020-12. One with a `title` becomes a component of the document under that name. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface RouteDoc {
  readonly summary: string;
  /** Arguments it takes; none when left out. `any`: not ours to say, as with vendor methods. */
  readonly query?: Arguments | 'any';
  /** Arguments as schemas, where readers and not `query` read them. */
  readonly parameters?: Readonly<Record<string, JsonSchema>>;
  /** Of the body, where the route has no validating `schema.body`. */
  readonly body?: JsonSchema;
  /** Of a success; 200 when left out, `2XX` for any. */
  readonly status?: 200 | 201 | 202 | 204 | '2XX';
  /** Of the body of a success. */
  readonly answer?: JsonSchema;
  /** JSON when left out. */
  readonly contentType?: string;
  /** First microversion, where older requests get 406 from the handler and not `config.since`. */
  readonly since?: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For the OpenAPI document. */
    doc?: RouteDoc;
  }
}

/** Arguments that a route does not take are refused by name, as Ironic does, before anything is looked up. */
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
