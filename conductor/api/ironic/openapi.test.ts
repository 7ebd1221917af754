import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { createCall } from '../../../test/fakes/api-client.ts';
import type { OpenApiDocument } from '../kit/openapi.ts';
import { apiDocument, registerOperatorApi } from './api.ts';
import { createServer } from './server.ts';

let test: TestApi;
let document: OpenApiDocument;
beforeAll(async () => {
  test = await createTestApi();
  document = (await createCall(test.api)('GET', '/ingot/v1/openapi.json')).body;
});
afterAll(() => test.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the OpenAPI document', () => {
  it('is valid by the rules of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(document as object as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('has every route and no other', () => {
    const served = registerOperatorApi(createServer(test.deps.logger), test.deps).map(
      ({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(described.length).toBeGreaterThan(100);
  });

  it('has no broken reference and no duplicate operation', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) =>
      (path as string)
        .split('/')
        .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], document),
    );
    expect(references.length).toBeGreaterThan(100);
    expect(references).not.toContain(undefined);
    const ids = operations().map(({ operation }) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('contains versions, limits and policies', () => {
    expect(document.paths['/v1/nodes']?.['get']).toMatchObject({
      'x-policy': 'node:list',
      parameters: expect.arrayContaining([
        {
          name: 'shard',
          in: 'query',
          schema: { type: 'array', items: { type: 'string' } },
          style: 'form',
          explode: false,
          'x-since': '1.82',
        },
      ]),
    });
    expect(document.paths['/v1/allocations/{ident}']?.['patch']).toMatchObject({ 'x-since': '1.57' });
    expect(document.paths['/v1/lookup']?.['get']).toMatchObject({ security: [], 'x-policy': 'ramdisk' });
    expect(document.components.schemas['NodeCreate']).toMatchObject({
      required: ['driver'],
      additionalProperties: false,
      properties: { resource_class: { type: ['string', 'null'], maxLength: 80, 'x-since': '1.21' } },
    });
  });

  it('is the same without a conductor', () => {
    expect(JSON.parse(apiDocument())).toEqual(document);
  });
});

describe('the page', () => {
  it('has one URL, so that its references can be resolved', async () => {
    const answer = await test.api.inject({ url: '/ingot/v1/docs/', headers: { host: '127.0.0.1' } });
    expect([answer.statusCode, answer.headers.location]).toEqual([308, '../docs']);
  });

  it.each([
    ['/ingot/v1/docs', 'text/html'],
    ['/ingot/v1/docs/page.js', 'text/javascript'],
    ['/ingot/v1/docs/swagger_ui.js', 'text/javascript'],
    ['/ingot/v1/docs/swagger_ui.css', 'text/css'],
  ])('%s is %s under a strict policy', async (url, type) => {
    const answer = await test.api.inject({ url, headers: { host: '127.0.0.1' } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain(type);
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  });

  it('loads nothing from other hosts and has nothing inline', async () => {
    const { body } = await test.api.inject({ url: '/ingot/v1/docs', headers: { host: '127.0.0.1' } });
    expect(body).not.toMatch(/https?:\/\/|\son\w+=|<script>|<style>/);
    const loaded = [...body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path as string);
    expect(loaded.length).toBe(3);
    for (const path of loaded) {
      const answer = await test.api.inject({ url: `/ingot/v1/${path}`, headers: { host: '127.0.0.1' } });
      expect([path, answer.statusCode]).toEqual([path, 200]);
    }
  });
});
