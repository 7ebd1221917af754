import Fastify, { type RouteOptions } from 'fastify';
import { expect, it } from 'vitest';
import { collectDocs } from './documented-routes.ts';

const handler = async () => ({});
const doc = { summary: 'Racks', body: { title: 'Documented' } };
const given = { title: 'Given' };

function collected(...routes: Omit<RouteOptions, 'handler'>[]) {
  const app = Fastify();
  const docs = collectDocs(
    app,
    (method, { url }) => (url === '/nobody' ? undefined : { policy: `rack:${method}`, isOpen: false }),
    1024,
  );
  for (const route of routes) app.route({ ...route, handler });
  return docs;
}

it('a route is gathered once for each of its methods but HEAD, with its policy', () => {
  expect(collected({ method: ['GET', 'HEAD', 'PUT'], url: '/racks', config: { doc } })).toEqual([
    {
      method: 'GET',
      url: '/racks',
      doc,
      since: undefined,
      body: undefined,
      maxBytes: 1024,
      policy: 'rack:GET',
      isOpen: false,
    },
    expect.objectContaining({ method: 'PUT', body: doc.body, policy: 'rack:PUT' }),
  ]);
});

it('the version of the description, the schema of the body and the limit of the route come first', () => {
  const [plain, special] = collected(
    { method: 'POST', url: '/plain', config: { doc, since: 4 } },
    {
      method: 'POST',
      url: '/special',
      config: { doc: { ...doc, since: 7 }, since: 4 },
      schema: { body: given },
      bodyLimit: 10,
    },
  );
  expect(plain).toMatchObject({ since: 4, body: doc.body, maxBytes: 1024 });
  expect(special).toMatchObject({ since: 7, body: given, maxBytes: 10 });
});

it('routes that only refuse are left out', () => {
  expect(collected({ method: 'GET', url: '/nobody', config: { undocumented: true } })).toEqual([]);
});

it('a route without a policy or without a description can not be registered', () => {
  expect(() => collected({ method: 'PUT', url: '/nobody', config: { doc } })).toThrow(
    'No policy for PUT /nobody',
  );
  expect(() => collected({ method: 'PUT', url: '/silent' })).toThrow('No description of PUT /silent');
});

it('routes are added to a list that is given', () => {
  const app = Fastify();
  const list: ReturnType<typeof collectDocs>[number][] = [];
  expect(collectDocs(app, () => ({ policy: 'public', isOpen: true }), 1, list)).toBe(list);
  app.get('/racks', { config: { doc } }, handler);
  expect(list.map(({ url, isOpen }) => [url, isOpen])).toEqual([['/racks', true]]);
});
