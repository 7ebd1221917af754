import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestCloud, member, type TestCloud } from '../../../test/fakes/compute/cloud.ts';
import { MAX_MINOR } from './microversions.ts';
import { novaService } from './nova-service.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await createTestCloud([novaService]);
});
afterAll(() => cloud.close());

describe('version documents', () => {
  it.each(['/compute', '/compute/'])('%s lists both versions, without authentication', async (path) => {
    const { status, body } = await cloud.call('GET', path, undefined, { as: null });
    expect(status).toBe(200);
    expect(body.versions.map(({ id, status: is }: { id: string; status: string }) => [id, is])).toEqual([
      ['v2.0', 'SUPPORTED'],
      ['v2.1', 'CURRENT'],
    ]);
    expect(body.versions[1].links).toEqual([{ rel: 'self', href: 'http://cloud.test/compute/v2.1/' }]);
  });

  it.each(['/compute/v2.1', '/compute/v2.1/'])('%s says what microversions there are', async (path) => {
    const { status, body } = await cloud.call('GET', path, undefined, { as: null });
    expect(status).toBe(200);
    expect(body.version).toMatchObject({
      id: 'v2.1',
      status: 'CURRENT',
      version: `2.${MAX_MINOR}`,
      min_version: '2.1',
    });
    expect(body.version['media-types'][0].type).toBe('application/vnd.openstack.compute+json;version=2.1');
  });
});

describe('microversions', () => {
  it.each([
    ['no header', {}, 1],
    ['the standard one', { standard: 'compute 2.9' }, 9],
    ['several services', { standard: 'image 2.2, compute 2.9' }, 9],
    ['another service', { standard: 'baremetal 1.82', own: '2.11' }, 11],
    ['Nova’s own', { own: '2.60' }, 60],
    ['both', { standard: 'compute 2.3', own: '2.60' }, 3],
    ['latest', { standard: 'compute latest' }, MAX_MINOR],
  ] as [string, { standard?: string; own?: string }, number][])('%s', async (_, { standard, own }, minor) => {
    const { headers } = await cloud.call('GET', '/compute/v2.1/flavors', undefined, {
      headers: {
        ...(standard && { 'openstack-api-version': standard }),
        ...(own && { 'x-openstack-nova-api-version': own }),
      },
    });
    expect(headers['x-openstack-nova-api-version']).toBe(`2.${minor}`);
  });

  it.each([
    [
      'compute 2.999',
      406,
      `Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.${MAX_MINOR}.`,
    ],
    ['compute 2.0', 406, 'Version 2.0 is not supported'],
    ['compute 3.1', 406, 'Version 3.1 is not supported'],
    ['compute two', 400, 'API Version String two is of invalid format'],
    ['compute 2.01', 400, 'API Version String 2.01 is of invalid format'],
  ])('%s is %i', async (version, code, message) => {
    const { status, body } = await cloud.call('GET', '/compute/v2.1/flavors', undefined, {
      headers: { 'openstack-api-version': version },
    });
    expect(status).toBe(code);
    expect(body).toEqual({
      [code === 406 ? 'computeFault' : 'badRequest']: { code, message: expect.stringContaining(message) },
    });
  });

  it('every answer, also an error, names the applied microversion', async () => {
    for (const path of ['/compute/v2.1/flavors', '/compute/v2.1/flavors/none']) {
      const { headers } = await cloud.call('GET', path, undefined, { minor: 61 });
      expect(headers).toMatchObject({
        'openstack-api-version': 'compute 2.61',
        'x-openstack-nova-api-version': '2.61',
        vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
        'x-openstack-request-id': expect.stringMatching(/^req-/),
      });
    }
  });

  it('a route that is not in the microversion is 404', async () => {
    const { status, body } = await cloud.call('PUT', '/compute/v2.1/flavors/x', {}, { minor: 54 });
    expect([status, body.itemNotFound.message]).toEqual([404, expect.stringContaining('2.55 or newer')]);
  });
});

describe('paths of old catalogs', () => {
  it('contain the project, and so do the links', async () => {
    const flavor = { id: 'old', name: 'old', ram: 1, vcpus: 1, disk: 1 };
    await cloud.call('POST', '/compute/v2.1/flavors', { flavor });
    const { status, body } = await cloud.call('GET', '/compute/v2.1/red/flavors', undefined, {
      as: member('red'),
    });
    expect(status).toBe(200);
    expect(body.flavors[0].links).toEqual([
      { rel: 'self', href: 'http://cloud.test/compute/v2.1/red/flavors/old' },
      { rel: 'bookmark', href: 'http://cloud.test/compute/red/flavors/old' },
    ]);
  });

  it('may name only the project of the token, except for administrators', async () => {
    const path = '/compute/v2.1/blue/flavors';
    expect(
      (await cloud.call('GET', path, undefined, { as: member('red') })).body.badRequest.message,
    ).toContain("project_id 'blue' doesn't match Context's project_id 'red'");
    expect((await cloud.call('GET', path)).status).toBe(200);
  });

  it('of v2.0 have no microversions and ignore unknown fields', async () => {
    const flavor = { id: 'v2', name: ' v2 ', ram: 1, vcpus: 1, disk: 1, colour: 'red' };
    const answer = await cloud.call('POST', '/compute/v2/flavors', { flavor }, { minor: 999 });
    expect([answer.status, answer.body.flavor.name]).toEqual([200, 'v2']);
    expect(answer.headers['openstack-api-version']).toBeUndefined();
  });
});

describe('who may', () => {
  it.each([
    [null, 'GET', 401, 'unauthorized'],
    [member('red'), 'POST', 403, 'forbidden'],
  ] as const)('%o %s is %i', async (as, method, code, name) => {
    const { status, body } = await cloud.call(method, '/compute/v2.1/flavors', undefined, { as });
    expect([status, body[name].code]).toEqual([code, code]);
  });

  it('an unknown path is 404, a body of another type 415', async () => {
    expect((await cloud.call('GET', '/compute/v2.1/nothing')).body.itemNotFound.code).toBe(404);
    const xml = { headers: { 'content-type': 'application/xml' } };
    expect((await cloud.call('POST', '/compute/v2.1/flavors', '<flavor/>', xml)).body.badMediaType.code).toBe(
      415,
    );
  });
});
