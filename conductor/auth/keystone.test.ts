import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../test/fakes/api.ts';
import { type Answer, createCall } from '../../test/fakes/api-client.ts';
import { type FakeKeystone, startFakeKeystone, type TokenSpec } from '../../test/fakes/keystone.ts';
import { createKeystoneAuthentication, type KeystoneSettings } from './keystone.ts';
import { createKeystoneClient } from './keystone-client.ts';
import { parseToken } from './keystone-token.ts';

const ADMIN: TokenSpec = { user: 'root', system: true, roles: ['admin'] };
const HOUR_MS = 3_600_000;

describe('tokens of Keystone', () => {
  let keystone: FakeKeystone;
  let test: TestApi;
  const lines: string[] = [];
  const get = (token: string, path = '/v1/nodes'): Promise<Answer> =>
    createCall(test.api)('GET', path, undefined, { headers: { 'x-auth-token': token } });

  async function open(settings: Partial<KeystoneSettings> = {}): Promise<void> {
    test = await createTestApi(
      { auth: 'keystone', keystone: { ...keystone.settings, ...settings } },
      pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
    );
  }

  beforeEach(async () => {
    lines.length = 0;
    keystone = await startFakeKeystone();
    await open();
  });
  afterEach(async () => {
    await test.close();
    await keystone[Symbol.asyncDispose]();
  });

  it('are validated once, also for many requests at a time, and with one log-in', async () => {
    const token = keystone.issue(ADMIN);
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await get(keystone.issue(ADMIN))).status).toBe(200);
    expect(keystone.calls).toEqual({ logIns: 1, checks: 2 });
  });

  it('are rejected after they expire', async () => {
    let now = Date.now();
    const calls: string[] = [];
    const client = {
      tokenOf: async (subject: string) => {
        calls.push(subject);
        const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
        return { user: { name: 'root' }, roles: [{ name: 'admin' }], system: { all: true }, expires_at };
      },
      close: async () => undefined,
    };
    const auth = createKeystoneAuthentication(
      keystone.settings,
      pino({ level: 'silent' }),
      client,
      () => now,
    );
    const ask = () => auth.callerOf({ headers: { 'x-auth-token': 't' } } as never);
    expect(await ask()).toMatchObject({ user: 'root' });
    now += keystone.settings.cacheMs - 1;
    await ask();
    expect(calls).toHaveLength(1);
    now += 1;
    await ask();
    expect(calls).toHaveLength(2);
    now += HOUR_MS;
    expect(await ask()).toMatchObject({ header: expect.stringContaining('Keystone uri=') });
  });

  it('that are revoked stay valid no longer than the cache time', async () => {
    await test.close();
    await open({ cacheMs: 0 });
    const token = keystone.issue(ADMIN);
    expect((await get(token)).status).toBe(200);
    keystone.revoke(token);
    expect((await get(token)).status).toBe(401);
  });

  it('that were rejected are not validated again at once', async () => {
    for (let i = 0; i < 5; i++) expect((await get('bad')).status).toBe(401);
    expect(keystone.calls.checks).toBe(1);
  });

  it.each(['', ' ', 'two words', 'x'.repeat(5000), 'ünïcode'])(
    '%j is not even asked about',
    async (token) => {
      expect((await get(token)).status).toBe(401);
      expect(keystone.calls).toEqual({ logIns: 0, checks: 0 });
    },
  );

  it('our own is renewed when Keystone does not know it any more', async () => {
    expect((await get(keystone.issue(ADMIN))).status).toBe(200);
    keystone.revoke();
    expect((await get(keystone.issue(ADMIN))).status).toBe(200);
    expect(keystone.calls.logIns).toBe(2);
  });

  it.each([500, 503, 403, 401])(
    'while Keystone answers %d: 503, but cached tokens stay valid',
    async (status) => {
      const known = keystone.issue(ADMIN);
      const other = keystone.issue(ADMIN);
      expect((await get(known)).status).toBe(200);
      keystone.failWith(status);
      expect((await get(known)).status).toBe(200);
      const refused = await get(other);
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.error).toBe('Keystone can not be asked about tokens now. Try again in a moment.');
      expect(refused.headers['retry-after']).toBe('1');
      expect(lines.join('')).toContain(`HTTP ${status}`);
      keystone.failWith(null);
      expect((await get(other)).status).toBe(200);
    },
  );

  it('a Keystone that does not answer causes an error after the time limit', async () => {
    await test.close();
    await open({ timeoutMs: 100 });
    keystone.hang(true);
    expect((await get(keystone.issue(ADMIN))).status).toBe(503);
    await test.close();
    await open({ authUrl: 'http://127.0.0.1:1' });
    expect((await get('token')).status).toBe(503);
    expect(lines.join('')).toContain('did not answer');
  });

  it('the number of waiting validations is limited', async () => {
    await test.close();
    await open({ timeoutMs: 300 });
    keystone.hang(true);
    const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => get(`t${index}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(80).fill(503));
    expect(answers.filter(({ error }) => error.startsWith('Too many tokens'))).toHaveLength(16);
  });

  it('a wrong password of our own is logged, without the password', async () => {
    await test.close();
    await open({ password: 'hunter2' });
    expect((await get(keystone.issue(ADMIN))).status).toBe(503);
    expect(lines.join('')).toMatch(/refused our own log-in as .*ironic.* with HTTP 401/);
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('are never logged; the name of the caller is', async () => {
    const token = keystone.issue(ADMIN);
    const call = createCall(test.api);
    const headers = { 'x-auth-token': token };
    await call('POST', '/v1/nodes', { driver: 'fake-hardware' }, { headers });
    await call('POST', '/v1/nodes', {}, { headers: { 'x-auth-token': 'bad-token-here' } });
    keystone.failWith(500);
    await get(`${token}x`);
    const log = lines.join('');
    expect(log).toContain('"user":"root"');
    for (const secret of [token, 'bad-token-here', keystone.settings.password]) {
      expect(log).not.toContain(secret);
    }
  });

  it('the URL of Keystone may end in /v3', async () => {
    for (const authUrl of [`${keystone.settings.authUrl}/v3`, `${keystone.settings.authUrl}/v3/`]) {
      const client = createKeystoneClient({ ...keystone.settings, authUrl });
      expect(await client.tokenOf(keystone.issue(ADMIN))).toMatchObject({ user: { name: 'root' } });
      await client.close();
    }
  });
});

describe('the caller of a token', () => {
  const services = {
    serviceProject: 'service',
    serviceProjectDomain: 'Default',
    adminProject: 'operators',
    adminProjectDomain: 'Default',
  };
  const whole = { user: { name: 'u' }, expires_at: '2030-01-01T00:00:00.000000Z', roles: [] };
  const roles = (...names: string[]) => names.map((name) => ({ id: 'x', name }));
  const callerOf = (token: object) => parseToken({ ...whole, ...token }, services)?.caller;

  it.each([
    ['no scope', {}, { scope: { kind: 'none' }, role: null }],
    ['a domain', { domain: { id: 'd' }, roles: roles('admin') }, { scope: { kind: 'none' } }],
    [
      'the system',
      { system: { all: true }, roles: roles('member', 'reader') },
      { scope: { kind: 'system' }, role: 'member' },
    ],
    ['a part of it', { system: { all: false }, roles: roles('admin') }, { scope: { kind: 'none' } }],
    [
      'a project',
      { project: { id: 'p' }, roles: roles('reader', 'Admin') },
      { scope: { kind: 'project', id: 'p' }, role: 'admin' },
    ],
    ['a project without id', { project: { id: '' }, roles: roles('admin') }, { scope: { kind: 'none' } }],
    ['unknown roles', { project: { id: 'p' }, roles: roles('auditor') }, { role: null, service: false }],
    [
      'roles in bad form',
      { project: { id: 'p' }, roles: ['admin', null, 7] },
      { role: null, service: false },
    ],
  ])('%s', (_, token, caller) => {
    expect(callerOf(token)).toMatchObject(caller);
  });

  const named = (name: string, domain = 'Default') => ({ id: 'p', name, domain: { name: domain } });
  it.each([
    ['admin on the system', { system: { all: true }, roles: roles('admin') }, true],
    ['reader on the system', { system: { all: true }, roles: roles('reader') }, false],
    ['service on the system', { system: { all: true }, roles: roles('service') }, false],
    ['admin in the named project', { project: named('operators'), roles: roles('admin') }, true],
    ['member in the named project', { project: named('operators'), roles: roles('member') }, false],
    ['admin in its namesake', { project: named('operators', 'Acme'), roles: roles('admin') }, false],
    ['admin in another project', { project: named('acme'), roles: roles('admin') }, false],
    ['service in the service project', { project: named('service'), roles: roles('service') }, true],
    ['service in its namesake', { project: named('service', 'Acme'), roles: roles('service') }, false],
    ['service in another project', { project: named('acme'), roles: roles('service', 'reader') }, false],
    ['admin without a scope', { roles: roles('admin') }, false],
  ])('%s administers the façade: %#', (_, token, isAdmin) => {
    expect(callerOf(token)?.administersCloud).toBe(isAdmin);
  });

  it('no project administers the façade while none is named', () => {
    const token = { ...whole, project: named('operators'), roles: roles('admin') };
    const caller = parseToken(token as never, { ...services, adminProject: null })?.caller;
    expect(caller?.administersCloud).toBe(false);
  });

  it.each([
    ['no end', { expires_at: undefined }],
    ['an end that is no time', { expires_at: 'soon' }],
    ['no user', { user: undefined }],
    ['roles that are no list', { roles: {} }],
  ])('%s is not enough', (_, token) => {
    expect(parseToken({ ...whole, ...token } as never, services)).toBeUndefined();
  });
});
