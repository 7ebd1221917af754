import Fastify from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { collectDocs } from './documented-routes.ts';
import { createSchema } from './field-schema.ts';
import { type ApiDescription, type OpenApiDocument, openApiDocument } from './openapi.ts';

const API: ApiDescription = {
  title: 'Racks',
  description: 'For the test',
  security: [{ token: [] }],
  securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' } },
  parameters: { version: { name: 'Version', in: 'header', schema: { type: 'string' } } },
  sharedParameters: (url) => (url.startsWith('/rack/v2') ? ['version'] : []),
  errorOf: () => ({ title: 'Fault', type: 'object' }),
  tagOf: (url) => url.split('/')[1] ?? '',
  versionText: (minor) => (minor > 1 ? `2.${minor}` : undefined),
};

let document: OpenApiDocument;
beforeAll(async () => {
  const app = Fastify();
  const policies: Readonly<Record<string, string>> = { GET: 'public', POST: 'rack:create' };
  const routes = collectDocs(
    app,
    (method) => ({ policy: policies[method] ?? '', isOpen: method === 'GET' }),
    1024,
  );
  const body = createSchema('Rack', [{ wire: 'rack_name', since: 7, kind: 'text', create: true }], []);
  app.get(
    '/rack/v2/:rack',
    { config: { doc: { summary: 'Show', query: { fields: { kind: 'list', since: 3 } } } } },
    async () => ({}),
  );
  app.post(
    '/rack/v2',
    { config: { since: 4, doc: { summary: 'Make', body, status: 201 } } },
    async () => ({}),
  );
  app.get('/hidden', { config: { undocumented: true } }, async () => ({}));
  await app.ready();
  document = openApiDocument(routes, API, '1.0');
});

describe('the document of an API', () => {
  it('has its routes, and not those that are left out', () => {
    expect(Object.keys(document.paths)).toEqual(['/rack/v2/{rack}', '/rack/v2']);
    expect(document.paths['/rack/v2/{rack}']?.['get']).toMatchObject({
      operationId: 'get-rack-v2-rack',
      'x-policy': 'public',
      security: [],
      parameters: [
        { name: 'rack', in: 'path' },
        { name: 'fields', in: 'query', 'x-since': '2.3' },
        { $ref: '#/components/parameters/version' },
      ],
      responses: { default: { $ref: '#/components/responses/Fault' } },
    });
  });

  it('writes versions as the API does, and puts titled schemas among the components', () => {
    expect(document.paths['/rack/v2']?.['post']).toMatchObject({
      'x-since': '2.4',
      'x-policy': 'rack:create',
      requestBody: {
        'x-max-bytes': 1024,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/RackCreate' } } },
      },
    });
    expect(document.components.schemas['RackCreate']).toMatchObject({
      properties: { rack_name: { 'x-since': '2.7' } },
    });
  });

  it.each([
    [{ type: 'array' }, true],
    [{ type: 'object', required: ['a'] }, true],
    [{ type: 'object', required: [] }, false],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, true],
    [{ anyOf: [{ required: ['a'] }, { type: 'null' }] }, false],
  ])('%j: the body is required: %s', (body, required) => {
    const route = { method: 'POST', url: '/rack/v2', doc: { summary: 'Make' }, since: undefined, body };
    const all = [{ ...route, policy: 'rack', isOpen: false, maxBytes: 9 }];
    const { post } = openApiDocument(all, API, '1.0').paths['/rack/v2'] ?? {};
    expect(post?.['requestBody']).toMatchObject({ required });
  });

  it('can not be made of a route that says nothing of itself', () => {
    const app = Fastify();
    collectDocs(app, () => ({ policy: 'public', isOpen: true }), 1024);
    expect(() => app.get('/silent', async () => ({}))).toThrow('No description of GET /silent');
  });
});
