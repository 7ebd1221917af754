/**
 * Error answers: their status and text. The API decides the form of the body.
 *
 * An IngotError has its own status. Any other error that is not a 4xx of fastify is a bug: it is logged with its stack,
 * and the client gets only a fault id to look for in the log.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { IngotError } from '../../domain/errors.ts';

const MEBI = 1024 * 1024;

/** An error of routing or versions, which has its own body shape. */
export class RouterError extends Error {
  readonly status: number;

  constructor(status: number, description = '') {
    super(description);
    this.name = 'RouterError';
    this.status = status;
  }
}

/** The forms of error bodies in one API. */
export interface ErrorBodies {
  /** `code` is one of the codes in domain/errors.ts; `error` is for APIs whose own errors have more data. */
  application(status: number, text: string, code: string, error: unknown): object;
  /** The body for an unknown path, method or version. */
  router(status: number, text: string): object;
}

export type ErrorSender = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Sends an error, with the bodies of one API. */
export const errorSender =
  ({ application, router }: ErrorBodies): ErrorSender =>
  (error, request, reply) => {
    if (error instanceof RouterError) {
      return reply.code(error.status).send(router(error.status, error.message));
    }
    if (error instanceof IngotError && error.family === 'busy') reply.header('Retry-After', '1');
    const { status, text, code } = refusalOf(error, request);
    return reply.code(status).send(application(status, text, code, error));
  };

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly code: string;
}

function refusalOf(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof IngotError) {
    if (error.status >= 500) request.log.error({ err: error }, 'request failed');
    return { status: error.status, text: error.message, code: error.code };
  }
  const code = 'invalidParameter';
  const refused = error as Partial<FastifyError>;
  if (refused.validation !== undefined) {
    return { status: 400, text: validationText(refused.validation), code };
  }
  if (refused.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { status: 413, text: tooLargeText(request), code };
  }
  const status = refused.statusCode ?? 500;
  if (status >= 400 && status < 500) return { status, text: refused.message ?? 'Bad request', code };
  const fault = randomUUID();
  request.log.error({ err: error, fault }, 'unexpected error');
  const text = `Internal error ${fault}: the conductor's log has the details under this id.`;
  return { status: 500, text, code: 'internal' };
}

function tooLargeText({ method, routeOptions }: FastifyRequest): string {
  const { url, bodyLimit, config } = routeOptions;
  const limit = bodyLimit < MEBI ? `${bodyLimit / 1024} KiB` : `${bodyLimit / MEBI} MiB`;
  const what = config.bulk === undefined ? 'less' : `a smaller ${config.bulk}`;
  return `The request body is larger than ${limit}, the limit of ${method} ${url}: send ${what}.`;
}

/** The problems that schema validation found, with Ironic's texts if clients know them. */
function validationText(problems: readonly FastifySchemaValidationError[]): string {
  return problems
    .map(({ keyword, params, instancePath, message }) => {
      if (keyword === 'additionalProperties') return `Unexpected arguments: ${params['additionalProperty']}`;
      if (keyword === 'required') return `Missing mandatory parameter: ${params['missingProperty']}`;
      const field = instancePath.slice(1).replaceAll('/', '.') || 'the request body';
      return `${field} ${message ?? 'is not valid'}${allowedText(params)}`;
    })
    .join('; ');
}

const allowedText = (params: Record<string, unknown>): string =>
  Array.isArray(params['allowedValues']) ? `: ${params['allowedValues'].join(', ')}` : '';
