/** The OpenAPI document of the façade is complete, valid and made from its routes. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWholeCloud } from '../../test/fakes/compute/whole-cloud.ts';
import type { OpenApiDocument } from '../api/kit/openapi.ts';
import { computeDocument } from './compute-document.ts';

let document: OpenApiDocument;
beforeAll(async () => {
  document = JSON.parse(await computeDocument()) as OpenApiDocument;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the OpenAPI document of the façade', () => {
  it('is valid by the rules of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(document as object as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('has every route of the façade and no other, and is served as it is printed', async () => {
    const cloud = await createWholeCloud({ auth: 'none' });
    const served = cloud.routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual([...new Set(served)].toSorted());
    const answer = await cloud.call('GET', '/ingot/v1/openapi.json', undefined, {});
    expect(answer.body).toEqual(document);
    await cloud[Symbol.asyncDispose]();
  });

  it('has no operation twice, and a summary for each', () => {
    const ids = operations().map(({ operation }) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(180);
    expect(operations().filter(({ operation }) => !operation['summary'])).toEqual([]);
  });

  it('contains microversions, policies, arguments and bodies', () => {
    const { paths } = document;
    expect(paths['/compute/v2.1/servers/{id}/tags']?.['get']).toMatchObject({
      'x-since': '2.26',
      'x-policy': 'reader',
      tags: ['compute: servers'],
    });
    expect(JSON.stringify(paths['/compute/v2.1/servers']?.['post'])).toContain(
      '"tags":{"type":"array","items":{"type":"string","minLength":1,"maxLength":60',
    );
    expect(JSON.stringify(paths['/compute/v2.1/servers']?.['post'])).toContain('"x-since":"2.52"');
    expect(paths['/compute/v2.1/flavors']?.['get']?.['parameters']).toContainEqual({
      ...{ name: 'sort_dir', in: 'query', schema: { enum: ['asc', 'desc'] } },
    });
    expect(document.components.schemas['SubnetCreate']).toMatchObject({ required: ['network_id', 'cidr'] });
    expect(paths['/identity/v3/auth/tokens']?.['post']).toMatchObject({ security: [], 'x-policy': 'public' });
    expect(document.components.schemas['Image']).toMatchObject({
      properties: { disk_format: { enum: expect.arrayContaining([null, 'qcow2']) } },
    });
  });
});
