import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';
import { fc } from '../../../test/random-cases.ts';
import { parseHtpasswd } from '../../auth/htpasswd.ts';
import { depthExceeds } from '../../domain/json-depth.ts';
import { registerOperatorApi } from './api.ts';
import { guardOf } from './auth/route-policies.ts';
import type { ApiDeps } from './deps.ts';
import { createServer } from './server.ts';

/** What stands for each parameter in a walk. */
const PARAMETERS: Readonly<Record<string, string>> = {
  ':node': 'n',
  ':port': 'p',
  ':event': 'e',
  ':driver': 'ipmi',
  ':hostname': 'c',
};

/** Every route the API registers, with its parameters filled in. */
function walk(deps: ApiDeps): (readonly [method: string, path: string, isPublic: boolean])[] {
  const app = createServer(deps.logger);
  const isPublic = (method: string, url: string) =>
    ['public', 'ramdisk'].includes(guardOf(method, url)?.policy ?? '');
  return registerOperatorApi(app, deps).map(({ method, url }) => [
    method,
    url.replaceAll(/:\w+/g, (name) => PARAMETERS[name] ?? name),
    isPublic(method, url),
  ]);
}

const scout = await createTestApi();
const ALL = walk(scout.deps);
await scout.close();
const ROUTES = ALL.filter(([, , isPublic]) => !isPublic);
const PUBLIC = ALL.filter(([, , isPublic]) => isPublic);

let test: TestApi;
let call: Call;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
  await call('POST', '/v1/nodes', { driver: 'fake-hardware', name: 'n' });
});
afterAll(() => test.close());

it('exactly these routes are open', () => {
  expect(PUBLIC.map(([method, path]) => `${method} ${path}`).toSorted()).toEqual([
    'GET /',
    'GET /v1',
    'GET /v1/lookup',
    'POST /v1/continue_inspection',
    'POST /v1/heartbeat/n',
    'POST /v1/lookup',
  ]);
  expect(ROUTES.length).toBeGreaterThan(25);
});

describe('no request causes 5xx', () => {
  const deep = `${'[{"a":'.repeat(40)}1${'}]'.repeat(40)}`;
  const bodies: Record<string, string> = {
    'no JSON': '{"a":',
    'deep JSON': deep,
    'deeper JSON': '['.repeat(100_000) + ']'.repeat(100_000),
    null: 'null',
    'a number': '1e999',
    'a string': '"\\ud800\\u0000"',
    'a list of nulls': '[null]',
    'a prototype': '{"__proto__": {"x": 1}}',
    'a constructor': '{"constructor": {"prototype": {"x": 1}}}',
    'odd types':
      '{"driver": 1, "target": {}, "address": [], "boot_device": null, "reason": 5, "uuid": "\\u0000"}',
    'an empty patch path': '[{"op": "add", "path": "", "value": 1}]',
    'a patch of everything': '[{"op": "add", "path": "/extra/x", "value": {"y": [{"z": 1e999}]}}]',
  };
  const writing = ALL.filter(([method]) => method !== 'GET' && method !== 'DELETE');

  it.each(writing.flatMap((route) => Object.keys(bodies).map((name) => [route[0], route[1], name] as const)))(
    '%s %s with %s',
    async (method, path, name) => {
      const answer = await call(method, path, bodies[name]);
      expect(answer.status).toBeLessThan(500);
      if (answer.status >= 400) expect(answer.body).toHaveProperty('error_message');
    },
  );

  it.each([
    '/v1/nodes/%E0%A4%A',
    '/v1/nodes/%00',
    '/v1/nodes/..%2f..%2fetc',
    `/v1/nodes/${'x'.repeat(600)}`,
    '/v1/nodes?fields=%00,__proto__',
    '/v1/nodes?__proto__=1',
    '/v1/nodes?constructor=1',
    '/v1/nodes?limit=99999999999999999999',
    '/v1/nodes?sort_key=__proto__',
    '/v1/nodes?description_contains=%25%27%22%3B--',
    '/v1/ports?address=%00',
    '/v1/nodes/n/history?marker=%27',
    '/v1//nodes',
    '//v1/nodes',
    '/v1/drivers/__proto__',
    '/ingot/v1/nodes/n/timeline?hours=0',
    '/ingot/v1/nodes/n/timeline?limit=99999',
  ])('GET %s', async (path) => {
    expect((await call('GET', path)).status).toBeLessThan(500);
  });

  it('random bodies and queries', async () => {
    const key = fc.constantFrom(
      'driver',
      'name',
      'uuid',
      'target',
      'op',
      'path',
      'value',
      'address',
      'node_uuid',
      'extra',
      'timeout',
      'fields',
      'limit',
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('fake-hardware', 'power on', 'manage', 'add', '/extra/a'),
    );
    const body = fc.oneof(fc.dictionary(key, value), fc.array(fc.dictionary(key, value)), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ROUTES),
        body,
        fc.dictionary(key, fc.string()),
        async ([method, path], sent, query) => {
          const search = new URLSearchParams(query).toString();
          const url = path.includes('?') || search === '' ? path : `${path}?${search}`;
          const answer = await call(method, url, method === 'GET' ? undefined : sent);
          expect(answer.status, `${method} ${url}`).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('bodies without a JSON media type are rejected, so that no web form can send them', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await call('POST', '/v1/nodes', '{"driver": "fake-hardware"}', {
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(415);
    }
    // Ironic's own client deletes so.
    const empty = { headers: { 'content-type': 'application/octet-stream', 'content-length': '0' } };
    expect((await call('DELETE', '/v1/nodes/none', '', empty)).status).toBe(404);
  });

  it('a foreign name in Host is rejected, against DNS rebinding', async () => {
    for (const [host, status] of [
      ['evil.example', 403],
      ['evil.example:6385', 403],
      ['127.0.0.1:6385', 200],
      ['[::1]:6385', 200],
      ['localhost:6385', 200],
      ['test-conductor', 200],
    ] as const) {
      expect([host, (await call('GET', '/v1/nodes', undefined, { headers: { host } })).status]).toEqual([
        host,
        status,
      ]);
    }
  });

  it('a bug reveals only a fault id', async () => {
    const find = test.store.nodes.find;
    test.store.nodes.find = () => Promise.reject(new Error('password=hunter2'));
    const answer = await call('GET', '/v1/nodes/n');
    test.store.nodes.find = find;
    expect(answer).toMatchObject({
      status: 500,
      error: expect.stringMatching(/^Internal error [0-9a-f-]{36}/),
    });
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  });

  it('the nesting depth of JSON is counted correctly', () => {
    expect(depthExceeds([[[]]], 3)).toBe(false);
    expect(depthExceeds([[[]]], 2)).toBe(true);
    expect(depthExceeds({ a: 1 }, 1)).toBe(false);
  });
});

describe('http_basic', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-users-'));
  const file = join(directory, 'users');
  const hash = (password: string) => hashSync(password, 4);
  const login = (user: string) => ({
    headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` },
  });
  let locked: TestApi;
  let knock: Call;
  beforeAll(async () => {
    writeFileSync(file, `# users\nada:${hash('lovelace')}\n\n`);
    locked = await createTestApi({ auth: 'http_basic', htpasswdFile: file });
    knock = createCall(locked.api);
  });
  afterAll(async () => {
    await locked.close();
    rmSync(directory, { recursive: true });
  });

  it.each(ROUTES)('%s %s asks for a password', async (method, path) => {
    const answer = await knock(method, path, method === 'GET' ? undefined : {});
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 401 } } });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="Baremetal API"');
  });

  it.each(PUBLIC)('%s %s is open', async (method, path) => {
    expect((await knock(method, path, method === 'GET' ? undefined : {})).status).not.toBe(401);
  });

  it('accepts users of the file, with any Host', async () => {
    const { headers } = login('ada:lovelace');
    expect(
      (await knock('GET', '/v1/nodes', undefined, { headers: { ...headers, host: 'metal.example' } })).status,
    ).toBe(200);
    expect((await knock('GET', '/v1/nodes', undefined, login('ada:lovelace'))).status).toBe(200);
    for (const user of [
      'ada:wrong',
      'ada:',
      'bob:lovelace',
      ':',
      'ada',
      `ada:${'x'.repeat(100)}`,
      `lovelace:ada`,
    ]) {
      expect([user, (await knock('GET', '/v1/nodes', undefined, login(user))).status]).toEqual([user, 401]);
    }
  });

  it('logs the caller of a change, but no secret', async () => {
    const lines: string[] = [];
    const logged = await createTestApi(
      { auth: 'http_basic', htpasswdFile: file },
      pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
    );
    const body = { driver: 'fake-hardware', driver_info: { ipmi_password: 'hunter2' } };
    const ask = createCall(logged.api);
    await ask('POST', '/v1/nodes?x=query-secret', body, login('ada:lovelace'));
    await ask('POST', '/v1/nodes', body, login('ada:lovelace'));
    await ask('POST', '/v1/nodes', body, login('ada:wrong'));
    await logged.close();
    const text = lines.join('');
    expect(text).toContain('"user":"ada"');
    expect(text).toContain('"path":"/v1/nodes"');
    expect(text).not.toMatch(/hunter2|lovelace|query-secret|wrong|Basic /);
  });

  it('reads the file again when it changes, and keeps its users when it is broken', async () => {
    writeFileSync(file, `bob:${hash('builder')}\n`);
    utimesSync(file, 1, 1);
    expect((await knock('GET', '/v1/nodes', undefined, login('bob:builder'))).status).toBe(200);
    expect((await knock('GET', '/v1/nodes', undefined, login('ada:lovelace'))).status).toBe(401);
    writeFileSync(file, 'nonsense');
    utimesSync(file, 2, 2);
    expect((await knock('GET', '/v1/nodes', undefined, login('bob:builder'))).status).toBe(200);
  });

  it('checks at most 20 of 60 guesses that come at the same time', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, index) => (await knock('GET', '/v1/nodes', undefined, login(`ada:${index}`))).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
  });

  it('rejects files with other hashes than bcrypt', () => {
    expect(() => parseHtpasswd('ada:{SHA}x')).toThrow('line 1');
    expect(() => parseHtpasswd(':$2y$05$')).toThrow('line 1');
  });
});
