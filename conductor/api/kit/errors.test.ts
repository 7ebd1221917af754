import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendRackError } from '../../../test/fakes/rack-api.ts';
import { IngotError } from '../../domain/errors.ts';
import { RouterError } from './errors.ts';

/** The answer to `error`, and what is logged. */
function answerTo(error: unknown) {
  const [logged, headers]: [[{ err: unknown; fault?: string }, string][], string[]] = [[], []];
  const log = { error: (...line: (typeof logged)[number]) => logged.push(line) };
  let status = 0;
  let body: { text: string; code?: string } | undefined;
  const reply = {
    code: (given: number) => {
      status = given;
      return reply;
    },
    header: (...header: string[]) => headers.push(header.join(': ')),
    send: (given: typeof body) => {
      body = given;
      return reply;
    },
  };
  sendRackError(error, { log } as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { status, headers, body, logged };
}

describe('an error on purpose', () => {
  it.each([
    [new IngotError('notFound', 'Rack r1 could not be found.'), 404, []],
    [new IngotError('conflict', 'There is one.'), 409, []],
    [new IngotError('nodeLocked', 'Node n1 is locked.'), 409, ['Retry-After: 1']],
    [new IngotError('unavailable', 'Shutting down.'), 503, ['Retry-After: 1']],
    [new IngotError('bmcFailure', 'The BMC is silent.'), 500, []],
  ])('%s is %i with its own text', (error, status, headers) => {
    const { code, message: text } = error;
    const answer = answerTo(error);
    expect(answer).toMatchObject({ status, headers, body: { status, text, code } });
    expect(answer.logged).toEqual(status >= 500 ? [[{ err: error }, 'request failed']] : []);
  });

  it('of routing has a body of its own', () => {
    expect(answerTo(new RouterError(404))).toMatchObject({ status: 404, body: { router: 404, text: '' } });
    expect(answerTo(new RouterError(406, 'Too new'))).toMatchObject({
      status: 406,
      headers: [],
      body: { router: 406, text: 'Too new' },
    });
  });
});

describe('any other error', () => {
  it.each([
    [{ statusCode: 400, message: 'Not JSON' }, 400, 'Not JSON'],
    [{ statusCode: 400 }, 400, 'Bad request'],
    [{ statusCode: 415, message: 'No such type' }, 415, 'No such type'],
    [{ statusCode: 499, message: 'Gone' }, 499, 'Gone'],
  ])('of the framework is shown when it is the fault of the request: %j', (error, status, text) => {
    const answer = answerTo(error);
    expect(answer).toMatchObject({ status, body: { status, text, code: 'invalidParameter' } });
    expect(answer.logged).toEqual([]);
  });

  it.each([
    new TypeError('secret'),
    { statusCode: 500, message: 'secret' },
    { statusCode: 399, message: 'secret' },
  ])('is logged, and told only by the id of the fault: %s', (error) => {
    const { status, body, logged } = answerTo(error);
    expect([status, body?.code]).toEqual([500, 'internal']);
    const [[{ err, fault }, message]] = logged as [(typeof logged)[number]];
    expect([err, message]).toEqual([error, 'unexpected error']);
    expect(fault).toMatch(/^[0-9a-f-]{36}$/);
    expect(body?.text).toBe(`Internal error ${fault}: the conductor's log has the details under this id.`);
  });
});

describe('a body that is refused', () => {
  const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });
  app.setErrorHandler(sendRackError);
  const body = {
    type: 'object',
    properties: {
      units: { type: 'integer' },
      side: { enum: ['left', 'right'] },
      door: { type: 'object', properties: { locks: { type: 'integer' } } },
    },
    required: ['units'],
    additionalProperties: false,
  };
  const handler = async () => ({});
  app.post('/racks', { schema: { body }, handler });
  app.post('/small', { bodyLimit: 512, handler });
  app.post('/bulky', { bodyLimit: 2 * 1024 * 1024, config: { bulk: 'config drive' }, handler });
  const post = async (url: string, payload: object) => {
    const answer = await app.inject({ method: 'POST', url, payload });
    return [answer.statusCode, answer.json().text];
  };

  it.each([
    [{}, 'Missing mandatory parameter: units'],
    [{ units: 1, colour: 'red' }, 'Unexpected arguments: colour'],
    [{ units: 'one' }, 'units must be integer'],
    [{ units: 1, side: 'top' }, 'side must be equal to one of the allowed values: left, right'],
    [{ units: 1, door: { locks: 'x' } }, 'door.locks must be integer'],
    [[], 'the request body must be object'],
  ])('by a schema says what is wrong: %j', async (payload, text) => {
    expect(await post('/racks', payload)).toEqual([400, text]);
  });

  it('for its size says the limit, and what makes it large', async () => {
    expect(await post('/small', { text: 'x'.repeat(512) })).toEqual([
      413,
      'The request body is larger than 0.5 KiB, the limit of POST /small: send less.',
    ]);
    expect(await post('/bulky', { text: 'x'.repeat(2 * 1024 * 1024) })).toEqual([
      413,
      'The request body is larger than 2 MiB, the limit of POST /bulky: send a smaller config drive.',
    ]);
    expect(await post('/small', { text: 'x' })).toEqual([200, undefined]);
  });
});
