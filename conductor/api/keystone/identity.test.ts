import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApi } from '../../../test/fakes/api.ts';
import { createCall } from '../../../test/fakes/api-client.ts';
import { createTestCloud, type TestCloud } from '../../../test/fakes/compute/cloud.ts';
import type { Authentication } from '../../auth/authentication.ts';
import { createAuthentication } from '../../auth/create-authentication.ts';
import { openStore } from '../../store/sqlite/store.ts';
import { createIdentityService } from './identity-service.ts';

const HOUR_MS = 3_600_000;
const dir = mkdtempSync(join(tmpdir(), 'ingot-identity-'));
const htpasswdFile = join(dir, 'users');
const keyFile = join(dir, 'data', 'token.key');
const quiet = pino({ level: 'silent' });
const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
const writeUsers = (users: Readonly<Record<string, string>>) =>
  writeFileSync(
    htpasswdFile,
    Object.entries(users)
      .map(([name, password]) => `${name}:${hashSync(password, 4)}\n`)
      .join(''),
  );

let now = Date.now();
let store: Awaited<ReturnType<typeof openStore>>;
let authentication: Authentication;
let cloud: TestCloud;

function authenticate(auth: 'none' | 'http_basic'): Authentication {
  return createAuthentication(
    {
      ...{ auth, htpasswdFile, keystone: null, host: 'c1', publicEndpoints: ['http://cloud.test'] },
      tokens: { keyFile, lifetimeMs: HOUR_MS },
    },
    { revoked: store.revokedTokens, logger, now: () => new Date(now) },
  );
}

async function open(auth: 'none' | 'http_basic'): Promise<void> {
  authentication = authenticate(auth);
  if (authentication.identity === undefined) throw new Error('no identity');
  const bareMetalUrl = (host: string) => `http://${host}:6385`;
  const service = createIdentityService(authentication.identity, { region: 'here', bareMetalUrl });
  cloud = await createTestCloud([service], { store }, authentication);
}

const password = (user: object, scope?: unknown) => ({
  auth: {
    identity: { methods: ['password'], password: { user } },
    ...(scope === undefined ? {} : { scope }),
  },
});
const ADA = { name: 'ada', domain: { name: 'Default' }, password: 'long' };
const PROJECT = { project: { name: 'default', domain: { id: 'default' } } };
const TOKENS = '/identity/v3/auth/tokens';
const ask = (method: string, path: string, body?: unknown, headers = {}) =>
  cloud.call(method, path, body, { as: null, headers });
const logIn = (body: unknown) => ask('POST', TOKENS, body);
async function tokenOf(body: unknown): Promise<string> {
  const { status, headers } = await logIn(body);
  expect(status).toBe(201);
  return String(headers['x-subject-token']);
}
const projects = (token: string) =>
  ask('GET', '/identity/v3/auth/projects', undefined, { 'x-auth-token': token });

beforeAll(async () => {
  writeUsers({ ada: 'long' });
  store = await openStore({ path: ':memory:' });
});
beforeEach(async () => {
  now = Date.now();
  await open('http_basic');
});
afterEach(() => cloud.close());
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

describe('tokens', () => {
  it('are issued for a password, with roles and the catalog', async () => {
    const { status, body } = await logIn(password(ADA, PROJECT));
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      methods: ['password'],
      user: { id: 'ada', name: 'ada', domain: { id: 'default', name: 'Default' } },
      project: { id: 'default', name: 'default', domain: { id: 'default' } },
      is_domain: false,
    });
    expect(Date.parse(body.token.expires_at) - Date.parse(body.token.issued_at)).toBe(HOUR_MS);
    expect(body.token.roles.map(({ name }: { name: string }) => name)).toEqual(['admin', 'member', 'reader']);
    const urls = body.token.catalog.map((service: { type: string; endpoints: { url: string }[] }) => [
      service.type,
      ...new Set(service.endpoints.map(({ url }) => url)),
    ]);
    expect(urls).toEqual([
      ['identity', 'http://cloud.test/identity'],
      ['compute', 'http://cloud.test/compute/v2.1'],
      ['image', 'http://cloud.test/image'],
      ['network', 'http://cloud.test/network'],
      ['baremetal', 'http://cloud.test:6385'],
    ]);
    expect(body.token.catalog[1].endpoints[0]).toMatchObject({ interface: 'public', region: 'here' });
  });

  it.each<[string, unknown, object]>([
    ['the project, unless said', undefined, { project: { id: 'default' } }],
    ['the project by id', { project: { id: 'default' } }, { project: { id: 'default' } }],
    ['the system', { system: { all: true } }, { system: { all: true } }],
  ])('are for %s', async (_, scope, shown) => {
    const { body } = await logIn(password({ id: 'ada', password: 'long' }, scope));
    expect(body.token).toMatchObject({ ...shown, roles: expect.anything(), catalog: expect.anything() });
  });

  it('without a scope can only be exchanged, and keep their expiry', async () => {
    const unscoped = await tokenOf(password(ADA, 'unscoped'));
    now += 1000;
    const call = () => authentication.callerOf({ headers: { 'x-auth-token': unscoped } } as never);
    expect(await call()).toMatchObject({ role: null, scope: { kind: 'none' } });
    expect((await projects(unscoped)).body.projects).toMatchObject([{ id: 'default', domain_id: 'default' }]);
    const { body } = await logIn({
      auth: { identity: { methods: ['token'], token: { id: unscoped } }, scope: PROJECT },
    });
    expect(body.token).toMatchObject({ methods: ['password', 'token'], project: { id: 'default' } });
    expect(Date.parse(body.token.expires_at) - Date.parse(body.token.issued_at)).toBe(HOUR_MS - 1000);
  });

  it.each<[string, object, unknown?]>([
    ['a wrong password', { ...ADA, password: 'short' }],
    ['an unknown user', { ...ADA, name: 'eve' }],
    ['a user of another domain', { ...ADA, domain: { name: 'Other' } }],
    ['another project', ADA, { project: { name: 'acme', domain: { name: 'Default' } } }],
    ['a project of another domain', ADA, { project: { name: 'default', domain: { id: 'other' } } }],
    ['a domain', ADA, { domain: { id: 'default' } }],
  ])('are refused for %s', async (_, user, scope) => {
    const { status, body, headers } = await logIn(password(user, scope));
    expect([status, body.error.code, body.error.title]).toEqual([401, 401, 'Unauthorized']);
    expect(headers['www-authenticate']).toBe('Keystone uri="http://cloud.test/identity"');
    expect(headers['x-subject-token']).toBeUndefined();
    expect(JSON.stringify(body)).not.toMatch(/long|short|eve/);
  });

  it.each<[string, unknown, string]>([
    ['nothing', {}, 'auth must be an object'],
    ['a list', [], 'auth must be an object'],
    ['no identity', { auth: {} }, 'auth.identity must be an object'],
    ['no methods', { auth: { identity: {} } }, 'auth.identity.methods must be a list'],
    ['no user', { auth: { identity: { methods: ['password'], password: {} } } }, 'password.user must be'],
    ['no password', password({ name: 'ada', domain: { id: 'default' } }), 'user.password must be a text'],
    ['a number for a password', password({ ...ADA, password: 7 }), 'user.password must be a text'],
    ['no domain', password({ name: 'ada', password: 'x' }), 'user.domain must be an object'],
    ['an empty domain', password({ ...ADA, domain: {} }), 'user.domain needs an id or a name'],
    ['no token', { auth: { identity: { methods: ['token'] } } }, 'auth.identity.token must be an object'],
    ['two scopes', password(ADA, { ...PROJECT, system: { all: true } }), 'auth.scope must name one thing'],
    ['part of the system', password(ADA, { system: {} }), 'auth.scope.system.all must be true'],
    ['a trust', password(ADA, { 'OS-TRUST:trust': { id: 'x' } }), 'auth.scope must be project'],
    ['a project without domain', password(ADA, { project: { name: 'x' } }), 'scope.project.domain must be'],
  ])('are refused for %s, with 400', async (_, body, message) => {
    const answer = await logIn(body);
    expect([answer.status, answer.body.error?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are not issued for other methods', async () => {
    const { status, body } = await logIn({ auth: { identity: { methods: ['totp'], totp: {} } } });
    expect([status, body.error.message]).toEqual([401, expect.stringContaining('unsupported method')]);
  });

  it('are shown and revoked', async () => {
    const [mine, other] = [await tokenOf(password(ADA)), await tokenOf(password(ADA))];
    const headers = { 'x-auth-token': mine, 'x-subject-token': other };
    const { status, body } = await ask('GET', TOKENS, undefined, headers);
    expect([status, body.token.user.id]).toEqual([200, 'ada']);
    const bare = await ask('GET', `${TOKENS}?nocatalog`, undefined, headers);
    expect(bare.body.token.catalog).toBeUndefined();
    expect((await ask('HEAD', TOKENS, undefined, headers)).status).toBe(200);
    expect((await ask('DELETE', TOKENS, undefined, headers)).status).toBe(204);
    expect((await ask('GET', TOKENS, undefined, headers)).body.error).toMatchObject({
      code: 404,
      title: 'Not Found',
    });
    expect((await projects(other)).status).toBe(401);
    expect((await projects(mine)).status).toBe(200);
    // Another conductor process, or this one after a restart.
    const again = authenticate('http_basic').identity;
    expect(await again?.tokens.claimsOf(other)).toBeUndefined();
    expect(await again?.tokens.claimsOf(mine)).toMatchObject({ user: 'ada' });
    const without = await ask('GET', TOKENS, undefined, { 'x-auth-token': mine });
    expect([without.status, without.body.error.message]).toEqual([400, expect.stringContaining('X-Subject')]);
  });

  it('end when they expire, when the password changes and when the user is removed', async () => {
    const token = await tokenOf(password(ADA));
    now += HOUR_MS - 1;
    expect((await projects(token)).status).toBe(200);
    now += 1;
    expect((await projects(token)).status).toBe(401);
    now -= HOUR_MS;
    writeUsers({ ada: 'another', bob: 'long' });
    expect((await projects(token)).status).toBe(401);
    writeUsers({ ada: 'long' });
  });

  it('are valid only unchanged', async () => {
    const token = await tokenOf(password(ADA));
    const [payload = '', proof = ''] = token.split('.');
    const forged = Buffer.from(
      Buffer.from(payload, 'base64url').toString().replace('"ada"', '"bob"'),
    ).toString('base64url');
    const others = await createOtherKey(token);
    for (const wrong of [`${forged}.${proof}`, payload, `${token}x`, `.${proof}`, 'x'.repeat(9000), others]) {
      expect((await projects(wrong)).status).toBe(401);
    }
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });

  async function createOtherKey(token: string): Promise<string> {
    const { decodeToken, encodeToken } = await import('../../identity/signed-token.ts');
    const { readTokenKey } = await import('../../identity/token-key.ts');
    const claims = decodeToken(token, readTokenKey(keyFile));
    if (claims === undefined) throw new Error('the token is none');
    return encodeToken(claims, readTokenKey(join(dir, 'other.key')));
  }

  it('are valid for the bare-metal API, like the password', async () => {
    const token = await tokenOf(password(ADA, PROJECT));
    const unscoped = await tokenOf(password(ADA, 'unscoped'));
    const test = await createTestApi({}, quiet, authentication);
    const nodes = (headers: Record<string, string>) =>
      createCall(test.api)('GET', '/v1/nodes', undefined, { headers });
    const basic = `Basic ${Buffer.from('ada:long').toString('base64')}`;
    expect((await nodes({ 'x-auth-token': token })).status).toBe(200);
    expect((await nodes({ authorization: basic })).status).toBe(200);
    expect((await nodes({ 'x-auth-token': unscoped })).status).toBe(403);
    expect((await nodes({ 'x-auth-token': 'notused' })).status).toBe(401);
    await test.close();
  });
});

it('a key file that other users can read is rejected', async () => {
  const { readTokenKey } = await import('../../identity/token-key.ts');
  const open = join(dir, 'open.key');
  writeFileSync(open, Buffer.alloc(32), { mode: 0o644 });
  expect(() => readTokenKey(open)).toThrow('can be read by other users');
  const short = join(dir, 'short.key');
  writeFileSync(short, 'x', { mode: 0o600 });
  expect(() => readTokenKey(short)).toThrow('does not contain a key of 32 bytes');
});

it('an address that guesses passwords is delayed on every listener', async () => {
  lines.length = 0;
  const wrong = { authorization: `Basic ${Buffer.from('ada:wrong').toString('base64')}` };
  for (let n = 0; n < 10; n += 1) {
    expect((await logIn(password({ ...ADA, password: `guess ${n}` }))).status).toBe(401);
    expect((await ask('GET', '/identity/v3/projects', undefined, wrong)).status).toBe(401);
  }
  const { status, body, headers } = await logIn(password(ADA));
  expect([status, body.error.message]).toEqual([429, expect.stringMatching(/Try again in \d+ seconds/)]);
  expect(headers['retry-after']).toBeDefined();
  expect(lines.filter((line) => line.includes('a log-in failed'))).toHaveLength(20);
  expect(lines.join()).not.toMatch(/guess|ada/);
  now += 60_000;
  expect((await logIn(password(ADA))).status).toBe(201);
});

describe('the directory', () => {
  const get = async (path: string, headers: Record<string, string>) =>
    ask('GET', `/identity/v3/${path}`, undefined, headers);

  it.each<[string, object]>([
    ['projects', { projects: [{ id: 'default', name: 'default' }] }],
    ['projects?name=default', { projects: [{ id: 'default' }] }],
    ['projects?name=other', { projects: [] }],
    ['projects/default', { project: { id: 'default' } }],
    ['domains/default', { domain: { name: 'Default' } }],
    ['roles?name=member', { roles: [{ id: 'member' }] }],
    ['roles/admin', { role: { name: 'admin' } }],
    ['users', { users: [{ name: 'ada' }] }],
    ['users/ada', { user: { default_project_id: 'default' } }],
    ['users/ada/projects', { projects: [{ id: 'default' }] }],
    ['users/ada/groups', { groups: [] }],
    ['regions', { regions: [{ id: 'here' }] }],
    ['services?type=compute', { services: [{ name: 'nova' }] }],
    ['endpoints?service_id=image&interface=public', { endpoints: [{ url: 'http://cloud.test/image' }] }],
    ['auth/system', { system: [{ all: true }] }],
    ['auth/catalog', { catalog: expect.arrayContaining([expect.objectContaining({ type: 'network' })]) }],
    ['role_assignments', { role_assignments: expect.any(Array) }],
  ])('has %s', async (path, shown) => {
    const { status, body } = await get(path, { 'x-auth-token': await tokenOf(password(ADA)) });
    expect(status).toBe(200);
    expect(body).toMatchObject(shown);
  });

  it.each(['projects/other', 'users/eve', 'users/eve/projects', 'roles/king'])('has no %s', async (path) => {
    const { status, body } = await get(path, { 'x-auth-token': await tokenOf(password(ADA)) });
    expect([status, body.error.message]).toEqual([
      404,
      expect.stringMatching(/^Could not find (user|role|pro)/),
    ]);
  });

  it('needs a token', async () => {
    for (const path of ['projects', 'users/ada', 'auth/catalog', 'auth/tokens']) {
      const { status, body } = await get(path, {});
      expect([status, body.error.code]).toEqual([401, 401]);
    }
    expect((await ask('GET', '/identity', undefined)).body.versions.values[0].id).toMatch(/^v3/);
    expect((await ask('GET', '/identity/v3')).body.version.links).toEqual([
      { rel: 'self', href: 'http://cloud.test/identity/v3/' },
    ]);
  });
});

it('without authentication, every caller gets a token for any name; it is valid nowhere else', async () => {
  await cloud.close();
  await open('none');
  const token = await tokenOf(password({ ...ADA, name: 'zoe', password: 'whatever' }));
  expect(
    (await ask('GET', '/identity/v3/users', undefined, { 'x-auth-token': token })).body.users,
  ).toMatchObject([{ id: 'zoe' }]);
  expect((await logIn(password({ ...ADA, domain: { name: 'Other' } }))).status).toBe(401);
  expect(await authenticate('http_basic').identity?.tokens.claimsOf(token)).toBeUndefined();
  const rebound = await ask('POST', TOKENS, password(ADA), { host: 'evil.example' });
  expect([rebound.status, rebound.headers['x-subject-token']]).toEqual([403, undefined]);
});
