/**
 * Parses JSON bodies for every API. An empty body counts as no body, whatever the Content-Type is: clients send
 * `Content-Type: application/json` with a DELETE or with a POST without a body, and OpenStack's services accept it.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { depthExceeds, MAX_JSON_DEPTH } from '../../domain/json-depth.ts';
import type { App } from './app.ts';

const JSON_TYPES = ['application/json', 'application/json-patch+json'];

/** Registers the parsers. A body that is not valid JSON gets 400; another Content-Type gets 415. */
export function acceptJson(app: App): void {
  app.removeAllContentTypeParsers();
  acceptJsonAs(app, JSON_TYPES);
  const parse = parserOf(app);
  const refused = Object.assign(new Error('Send JSON, with Content-Type: application/json'), {
    statusCode: 415,
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    const isUntyped = request.headers['content-type'] === undefined && request.routeOptions.config.untyped;
    return isUntyped ? parse(request, body as string, done) : done(refused);
  });
  app.addHook('preValidation', (request, _, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}

/** Registers more media types, of one API, whose bodies are JSON. */
export function acceptJsonAs(app: App, types: readonly string[]): void {
  const parse = parserOf(app);
  app.addContentTypeParser([...types], { parseAs: 'string' }, (request, body, done) =>
    parse(request, body as string, done),
  );
}

type Parser = (
  request: FastifyRequest,
  body: string,
  done: (error: Error | null, body?: unknown) => void,
) => void;

/** Refuses bodies that are nested too deep before a validator or a recursive function reads them. */
function parserOf(app: App): Parser {
  const parse = app.getDefaultJsonParser('error', 'error') as Parser;
  return (request, body, done) => {
    if (body === '') return done(null, undefined);
    parse(request, body, (error, parsed) => {
      if (error === null && depthExceeds(parsed, MAX_JSON_DEPTH))
        done(
          new IngotError(
            'invalidParameter',
            `The request body is nested deeper than ${MAX_JSON_DEPTH} levels`,
          ),
        );
      else done(error, parsed);
    });
  };
}
