import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { RACK_VERSIONS, rackRequest, sendRackError } from '../../../test/fakes/rack-api.ts';
import { type Microversions, negotiateVersions, requireVersion, standardVersion } from './microversion.ts';

function ask(url: string, headers: Record<string, string> = {}, api: Microversions = RACK_VERSIONS) {
  const app = Fastify({ genReqId: () => 'req-1' });
  app.setErrorHandler(sendRackError);
  negotiateVersions(app, api);
  const answer = async ({ minor }: { minor: number }) => ({ minor });
  app.get('/v1/racks', answer);
  app.get('/v1/young', { config: { since: 5 } }, answer);
  app.put('/v1/young', { config: { since: 5, tooNew: 405 } }, answer);
  app.get('/v1/old', { config: { until: 7 } }, answer);
  app.get('/free', answer);
  const [method, path] = url.split(' ') as ['GET' | 'PUT', string];
  return app.inject({ method, url: path, headers });
}
const own = (version: string) => ({ 'x-rack-version': version });

describe('the version of a request', () => {
  it.each([
    ['without a header is the oldest', {}, 1],
    ['is in the header of the API', own('1.7'), 7],
    ['is in the header of all services', { 'openstack-api-version': 'rack 1.8' }, 8],
    ['is in the latter when both are there', { 'openstack-api-version': 'rack 1.8', ...own('1.7') }, 8],
  ])('%s', async (_, headers, minor) => {
    const answer = await ask('GET /v1/racks', headers);
    expect([answer.statusCode, answer.json()]).toEqual([200, { minor }]);
    expect(answer.headers).toMatchObject({
      'x-rack-version': `1.${minor}`,
      'x-rack-minimum': '1.1',
      'x-rack-maximum': '1.20',
    });
  });

  it('that is not there is 406, which says what there is', async () => {
    const answer = await ask('GET /v1/racks', own('1.21'));
    expect(answer.statusCode).toBe(406);
    expect(answer.json()).toEqual({ router: 406, text: 'There is no version 1.21' });
    expect(answer.headers).toMatchObject({ 'x-rack-minimum': '1.1', 'x-rack-maximum': '1.20' });
    expect(answer.headers).not.toHaveProperty('x-rack-version');
  });

  it('is answered in the header of all services when that one asked', async () => {
    const { headers } = await ask('GET /v1/racks', { 'openstack-api-version': 'rack 1.8' });
    expect(headers).toMatchObject({ 'openstack-api-version': 'rack 1.8', vary: 'OpenStack-API-Version' });
    const plain = await ask('GET /v1/racks', own('1.8'));
    expect(plain.headers).not.toHaveProperty('openstack-api-version');
    expect(plain.headers).not.toHaveProperty('vary');
  });

  it('is always answered in both headers, if the API does so, and without a range if it has no headers for it', async () => {
    const { headers: names } = RACK_VERSIONS;
    const api: Microversions = {
      ...RACK_VERSIONS,
      headers: { standard: names.standard, applied: names.applied },
      alwaysAnswersStandard: true,
    };
    const { headers } = await ask('GET /v1/racks', own('1.8'), api);
    expect(headers).toMatchObject({
      'openstack-api-version': 'rack 1.8',
      'x-rack-version': '1.8',
      vary: 'OpenStack-API-Version, X-Rack-Version',
    });
    expect(headers).not.toHaveProperty('x-rack-minimum');
  });

  it('is fixed for paths without versions, whatever the request says', async () => {
    const answer = await ask('GET /free', own('1.2'));
    expect([answer.statusCode, answer.json()]).toEqual([200, { minor: 20 }]);
    expect(answer.headers).not.toHaveProperty('x-rack-version');
    expect(answer.headers).toMatchObject({ 'x-rack-minimum': '1.1' });
  });
});

it.each([
  ['GET /v1/young', '1.4', 404],
  ['PUT /v1/young', '1.4', 405],
  ['GET /v1/young', '1.5', 200],
  ['PUT /v1/young', '1.5', 200],
  ['GET /v1/old', '1.7', 200],
  ['GET /v1/old', '1.8', 404],
])('%s at %s is %i', async (url, version, status) => {
  expect((await ask(url, own(version))).statusCode).toBe(status);
});

it.each([
  [undefined, undefined],
  ['rack 1.8', '1.8'],
  ['Rack  1.8', '1.8'],
  ['compute 2.1, rack 1.8 ', '1.8'],
  ['rack 1.8, rack 1.9', '1.9'],
  ['compute 2.1', undefined],
  ['rack', undefined],
])('the standard header %j asks for %j', (header, version) => {
  expect(standardVersion('rack', header)).toBe(version);
});

it('a version below the oldest has the routes of the oldest, and an absent route says what the API says of it', async () => {
  const api: Microversions = {
    ...RACK_VERSIONS,
    fixedFor: () => 0,
    absentText: ({ minor }, since, until) => `${minor} is not in ${since} to ${until}`,
  };
  expect((await ask('GET /v1/racks', {}, api)).json()).toEqual({ minor: 0 });
  expect((await ask('GET /v1/young', {}, api)).json()).toEqual({ router: 404, text: '0 is not in 5 to 20' });
});

it('the id of a request is in the header of all services from a version on, if the API has one', async () => {
  const idOf = async (version: string, api?: Microversions) =>
    (await ask('GET /v1/racks', own(version), api)).headers['x-openstack-request-id'];
  const { requestIdSince: _, ...withoutId } = RACK_VERSIONS;
  expect(await idOf('1.14')).toBeUndefined();
  expect(await idOf('1.15')).toBe('req-1');
  expect(await idOf('1.20', withoutId)).toBeUndefined();
});

it('what is newer than the request is refused, with the header to send', () => {
  expect(() => requireVersion(rackRequest(5), 5, 'It')).not.toThrow();
  expect(() => requireVersion(rackRequest(4), 5, 'It')).toThrow(
    expect.objectContaining({
      code: 'notAcceptable',
      message:
        'Request not acceptable. It needs API version 1.5, this request uses 1.4. Send X-Rack-Version: 1.5 or newer.',
    }),
  );
});
