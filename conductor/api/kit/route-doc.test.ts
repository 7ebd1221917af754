import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { sendRackError } from '../../../test/fakes/rack-api.ts';
import { type RouteDoc, refuseUnknownArguments } from './route-doc.ts';

const app = Fastify();
app.setErrorHandler(sendRackError);
refuseUnknownArguments(app);
const DOCS: Readonly<Record<string, RouteDoc | undefined>> = {
  '/named': { summary: 'x', query: { limit: { kind: 'integer' } } },
  '/none': { summary: 'x' },
  '/any': { summary: 'x', query: 'any' },
  '/silent': undefined,
};
for (const [url, doc] of Object.entries(DOCS)) {
  app.get(url, { config: doc === undefined ? {} : { doc } }, async () => ({ text: 'answered' }));
}

it.each([
  ['/named', 'answered'],
  ['/named?limit=1', 'answered'],
  ['/named?limit=1&colour=red&size=2', 'Unexpected arguments: colour, size'],
  ['/named?toString=1', 'Unexpected arguments: toString'],
  ['/none', 'answered'],
  ['/none?limit=1', 'Unexpected arguments: limit'],
  ['/any?colour=red', 'answered'],
  ['/silent?colour=red', 'answered'],
])('%s: %s', async (url, text) => {
  const answer = await app.inject(url);
  expect(answer.json().text).toBe(text);
  expect(answer.statusCode).toBe(text === 'answered' ? 200 : 400);
});
