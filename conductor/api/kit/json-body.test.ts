import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { acceptJson, acceptJsonAs } from './json-body.ts';

const app = Fastify();
acceptJson(app);
acceptJsonAs(app, ['application/x-patch']);
for (const method of ['POST', 'DELETE'] as const)
  app.route({ method, url: '/', handler: async ({ body }) => ({ body: body ?? 'none' }) });
app.post('/object', { schema: { body: { type: 'object' } } }, async ({ body }) => ({ body }));
app.post('/agent', { config: { untyped: true } }, async ({ body }) => ({ body }));

const send = async (method: 'POST' | 'DELETE', url: string, type?: string, payload?: string) => {
  const headers = type === undefined ? {} : { 'content-type': type };
  const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  return [answer.statusCode, answer.json().body ?? answer.json().message];
};

describe('a body', () => {
  it.each(['application/json', 'application/octet-stream', undefined])(
    'that is not there is none, whatever its type: %s',
    async (type) => {
      expect(await send('DELETE', '/', type)).toEqual([200, 'none']);
      expect(await send('POST', '/', type)).toEqual([200, 'none']);
    },
  );

  it('that is not there is an empty object where a route wants one', async () => {
    expect(await send('POST', '/object', 'application/json')).toEqual([200, {}]);
  });

  it('is read by its type', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'application/json-patch+json',
      'application/x-patch',
    ])
      expect(await send('POST', '/', type, '{"a":1}')).toEqual([200, { a: 1 }]);
    expect((await send('POST', '/', 'text/plain', '{"a":1}'))[0]).toBe(415);
    expect((await send('POST', '/', 'application/json', '{"a"'))[0]).toBe(400);
  });

  it('without a type is read where the route says so', async () => {
    const untyped = (url: string) => app.inject({ method: 'POST', url, payload: Buffer.from('{"a":1}') });
    expect((await untyped('/agent')).json()).toEqual({ body: { a: 1 } });
    expect((await untyped('/')).statusCode).toBe(415);
  });

  it('is refused when it is nested too deep', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect((await send('POST', '/', 'application/json', nested(25)))[0]).toBe(200);
    expect(await send('POST', '/', 'application/json', nested(26))).toEqual([
      expect.any(Number),
      'The request body is nested deeper than 25 levels',
    ]);
  });
});
