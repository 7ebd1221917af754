import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { IngotError } from '../../domain/errors.ts';
import { RouterError } from '../kit/errors.ts';
import { errorsOf, missingRoute } from './cloud-errors.ts';

const errorBody = (status: number, message: string, code: string) => ({ fault: { status, message, code } });

function answerTo(error: unknown) {
  const app = Fastify({ logger: false });
  app.setErrorHandler(errorsOf({ errorBody }));
  app.get('/', async () => {
    throw error;
  });
  return app.inject('/');
}

it('a service may say more of errors that are its own', async () => {
  class RackError extends IngotError {
    readonly shelf = 7;
  }
  const app = Fastify({ logger: false });
  app.setErrorHandler(
    errorsOf({
      errorBody: (status, _text, _code, error) => ({
        status,
        shelf: error instanceof RackError ? error.shelf : 0,
      }),
    }),
  );
  app.get('/', async () => {
    throw new RackError('conflict', 'Full.');
  });
  expect((await app.inject('/')).json()).toEqual({ status: 409, shelf: 7 });
});

describe('an error of the façade', () => {
  it.each([
    [new IngotError('conflict', 'There is one.'), 409, 'conflict', 'There is one.'],
    [missingRoute('GET', '/compute/x'), 404, 'notFound', 'There is no GET /compute/x.'],
    [new RouterError(406, 'Too new.'), 406, 'notAcceptable', 'Too new.'],
    [new RouterError(400, 'No version.'), 400, 'invalidParameter', 'No version.'],
    [new TypeError('secret'), 500, 'internal', expect.stringMatching(/^Internal error [0-9a-f-]{36}: /)],
  ])('%s has the body of the service', async (error, status, code, message) => {
    const answer = await answerTo(error);
    expect([answer.statusCode, answer.json()]).toEqual([status, { fault: { status, message, code } }]);
  });

  it('contains Retry-After when it is temporary', async () => {
    const { headers } = await answerTo(new IngotError('unavailable', 'Shutting down.'));
    expect(headers['retry-after']).toBe('1');
  });
});
