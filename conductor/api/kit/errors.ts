/**
 * Every answer that is not a success: which status, which of the two body shapes, what text.
 *
 * An IngotError carries its own status. Anything else thrown is a bug: it is logged with its stack and the
 * client gets a fault id to look for in the log, nothing more.
 */
import { randomUUID } from 'node:crypto';
import { applicationError, routerError } from '@ingot/shared/ironic/error-body.ts';
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

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RouterError) {
    return reply.code(error.status).send(routerError(error.status, error.message));
  }
  if (error instanceof IngotError) {
    if (error.family === 'busy') reply.header('Retry-After', '1');
    if (error.status >= 500) request.log.error({ err: error }, 'request failed');
    return reply.code(error.status).send(applicationError(error.status, error.message));
  }
  const refused = error as Partial<FastifyError>;
  if (refused.validation !== undefined) {
    return reply.code(400).send(applicationError(400, validationText(refused.validation)));
  }
  if (refused.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return reply.code(413).send(applicationError(413, tooLargeText(request)));
  }
  const status = refused.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    return reply.code(status).send(applicationError(status, refused.message ?? 'Bad request'));
  }
  const fault = randomUUID();
  request.log.error({ err: error, fault }, 'unexpected error');
  return reply
    .code(500)
    .send(
      applicationError(500, `Internal error ${fault}: the conductor's log has the details under this id.`),
    );
}

function tooLargeText({ method, routeOptions }: FastifyRequest): string {
  const { url, bodyLimit, config } = routeOptions;
  const limit = bodyLimit < MEBI ? `${bodyLimit / 1024} KiB` : `${bodyLimit / MEBI} MiB`;
  const what = config.bulk === undefined ? 'less' : `a smaller ${config.bulk}`;
  return `The request body is larger than ${limit}, the limit of ${method} ${url}: send ${what}.`;
}

/** What a schema found wrong, in Ironic's words where clients know them. */
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
