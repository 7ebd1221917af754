import { Writable } from 'node:stream';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admin, member, reader } from '../../../test/fakes/compute/cloud.ts';
import type { Authentication } from '../../auth/authentication.ts';
import { IngotError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/policy.ts';
import type { App } from '../kit/app.ts';
import { described } from './cloud-route.ts';
import { createCloudServer } from './cloud-server.ts';
import type { Access, CloudService } from './cloud-service.ts';
import type { ComputeDeps } from './deps.ts';

const LEVELS: readonly Access[] = ['public', 'token', 'reader', 'member', 'admin'];
const without = (changes: Partial<Caller>): Caller => ({ ...member('red'), ...changes });
const CALLERS = {
  nobody: null,
  unscoped: without({ scope: { kind: 'none' } }),
  'in no role': without({ role: null }),
  reader: reader('red'),
  member: member('red'),
  admin,
} as const;

const service = (changes: Partial<CloudService> = {}): CloudService => ({
  type: 'compute',
  prefix: '/racks',
  requestIdHeader: 'X-Rack-Request-Id',
  errorBody: (status, message, code) => ({ rack: { status, message, code } }),
  register(app) {
    for (const access of LEVELS)
      app.get(`/${access}`, described(access, 'Show'), async ({ tenant }) => tenant);
    app.post('/member', described('member', 'Make'), async () => ({}));
    app.post('/public', described('public', 'Make'), async () => ({}));
  },
  ...changes,
});

let caller: Caller | null;
let lines: { msg: string; [field: string]: unknown }[];
let authentication: Authentication;
let app: App;

function start(...services: CloudService[]): App {
  const log = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  return createCloudServer(services, {} as ComputeDeps, authentication, pino(log));
}

const ask = async (url: string, method: 'GET' | 'POST' = 'GET', more: object = {}) => {
  const answer = await app.inject({ method, url, ...more });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
};

beforeEach(() => {
  [caller, lines] = [admin, []];
  authentication = {
    callerOf: async () => caller ?? { header: 'Basic', body: { error: { code: 401, message: '' } } },
  };
  app = start(service());
});
afterEach(() => app.close());

describe('who may call a route', () => {
  it.each<[keyof typeof CALLERS, readonly number[]]>([
    ['nobody', [200, 401, 401, 401, 401]],
    ['unscoped', [200, 200, 403, 403, 403]],
    ['in no role', [200, 200, 403, 403, 403]],
    ['reader', [200, 200, 200, 403, 403]],
    ['member', [200, 200, 200, 200, 403]],
    ['admin', [200, 200, 200, 200, 200]],
  ])('%s: public, token, reader, member, admin are %j', async (name, statuses) => {
    caller = CALLERS[name];
    const answers = await Promise.all(LEVELS.map((access) => ask(`/racks/${access}`)));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  it('an error has the body form of the service, and names the required role', async () => {
    caller = null;
    expect((await ask('/racks/reader')).headers['www-authenticate']).toBe('Basic');
    caller = CALLERS.reader;
    expect((await ask('/racks/member?secret=x')).body.rack).toEqual({
      status: 403,
      code: 'forbidden',
      message: "Policy doesn't allow GET /racks/member to be performed: it needs the role member.",
    });
  });

  it('public routes have a tenant without rights for every caller', async () => {
    expect((await ask('/racks/public')).body).toEqual({
      projectId: '',
      userId: '',
      isAdmin: false,
      isMember: false,
    });
  });

  it('an unknown Host header is rejected, also on public routes', async () => {
    await app.close();
    authentication = {
      ...authentication,
      checkSource() {
        throw new IngotError('forbidden', 'Not this host.');
      },
    };
    app = start(service());
    expect((await ask('/racks/public')).status).toBe(403);
  });
});

describe('an answer', () => {
  it('has the id of the request, also in the header of the service, and may not be cached', async () => {
    const { headers } = await ask('/racks/public');
    expect(headers['x-openstack-request-id']).toMatch(/^req-[0-9a-f-]{36}$/);
    expect(headers['x-rack-request-id']).toBe(headers['x-openstack-request-id']);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('to an unknown or invalid path has the body form of the service; outside of all services, of the first', async () => {
    expect((await ask('/racks/none')).body.rack).toMatchObject({
      status: 404,
      message: 'There is no GET /racks/none.',
    });
    expect((await ask('/racks/%E0%A4%A')).body.rack.status).toBe(400);
    expect((await ask('/nowhere/%E0%A4%A')).body.rack.status).toBe(400);
  });

  it('to a body that is too large names the limit', async () => {
    const { status, body } = await ask('/racks/member', 'POST', { payload: { x: 'x'.repeat(2 ** 20) } });
    expect(status).toBe(413);
    expect(body.rack.message).toContain('larger than 1 MiB, the limit of POST /racks/member');
  });

  it('to a path with a trailing slash is 404 for services that are strict about it', async () => {
    expect((await ask('/racks/reader/')).status).toBe(200);
    await app.close();
    app = start(service({ isStrictAboutSlashes: true }));
    expect([(await ask('/racks/reader/')).status, (await ask('/racks/reader')).status]).toEqual([404, 200]);
  });
});

it('a service may convert the paths that clients use', async () => {
  await app.close();
  app = start(service({ routedPath: (url) => url.replace('/old/', '/') }));
  expect((await ask('/racks/old/reader')).status).toBe(200);
});

it('requests for changes are logged without their query; others and public ones are not logged', async () => {
  caller = member('red', 'ann');
  await ask('/racks/reader');
  await ask('/racks/public', 'POST');
  await ask('/racks/member?password=x', 'POST');
  const requests = lines.filter(({ msg }) => msg === 'request');
  expect(requests).toEqual([
    expect.objectContaining({
      method: 'POST',
      path: '/racks/member',
      user: 'ann',
      project: 'red',
      status: 200,
    }),
  ]);
});

it('a route without access makes the start fail', async () => {
  const careless = start(
    service({
      register: (scope) => void scope.get('/x', { config: { doc: { summary: 'X' } } }, async () => ({})),
    }),
  );
  await expect(careless.ready()).rejects.toThrow(/\/racks\/x/);
});

it('every caller with a role may read the document of all routes', async () => {
  caller = CALLERS.unscoped;
  expect((await ask('/ingot/v1/openapi.json')).status).toBe(403);
  caller = CALLERS.reader;
  const { body } = await ask('/ingot/v1/openapi.json');
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining(['/racks/member', '/ingot/v1/openapi.json']),
  );
  expect(body.paths['/racks/public'].get.security).toEqual([]);
  expect(body.paths['/racks/admin'].get['x-policy']).toBe('admin');
});
