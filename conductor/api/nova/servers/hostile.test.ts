/** The routes of servers never answer 500, whatever the request is. */

import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, member, reader } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  SERVERS,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';
import { fc } from '../../../../test/random-cases.ts';

const MINORS = [1, 26, 32, 42, 57, 73];
const ANN = member('blue', 'ann');
const UUID = 'c0ffee00-0000-4000-8000-000000000000';

let test: TestServersApi;
let id: string;
const routes: { readonly method: string; readonly url: string }[] = [];

beforeAll(async () => {
  test = await createTestServersApi((route: RouteOptions) => {
    for (const method of [route.method].flat()) {
      if (method !== 'HEAD' && route.url.startsWith(SERVERS)) routes.push({ method, url: route.url });
    }
  });
  id = await test.running({}, { as: ANN });
});
afterAll(() => test.close());

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
/** JSON texts, so that keys such as __proto__ and numbers beyond doubles are sent unchanged. */
const HOSTILE = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1e400',
    '1.5',
    '99999999999999999999',
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
  ],
  ...[
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"a":{}}',
    '{"constructor":{"prototype":1}}',
    '{"__proto__":1}',
    '{"":""}',
  ],
  ...['"auto"', '"none"', '"../../etc/passwd"', '"%s%n"', '"::"', '"1.1.1.1"', `"${UUID}"`, '"a:b:c"'],
  `"${'x'.repeat(70_000)}"`,
  `[${'{},'.repeat(2000)}{}]`,
  JSON.stringify(deep(60)),
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];

const full = {
  server: {
    ...{ name: 'n', imageRef: UUID, flavorRef: '42', adminPass: 'p', metadata: { a: 'b' }, description: 'd' },
    ...{ networks: [{ uuid: UUID, port: UUID, fixed_ip: '10.9.0.9', tag: 't' }], config_drive: true },
    ...{
      key_name: 'k',
      min_count: 1,
      max_count: 1,
      user_data: 'QQ==',
      availability_zone: 'nova',
      tags: ['t'],
    },
    ...{
      security_groups: [{ name: 'g' }],
      return_reservation_id: false,
      accessIPv4: '1.1.1.1',
      accessIPv6: '::1',
    },
    block_device_mapping_v2: [
      { boot_index: 0, uuid: UUID, source_type: 'image', destination_type: 'local', tag: 't' },
    ],
    block_device_mapping: [{ volume_id: UUID }],
    personality: [{ path: '/a', contents: 'QQ==' }],
    trusted_image_certificates: ['c'],
    'OS-DCF:diskConfig': 'AUTO',
  },
  'os:scheduler_hints': { group: UUID, same_host: [UUID], different_host: UUID, query: '[]', other: 1 },
};
const actions = {
  reboot: { type: 'SOFT' },
  rebuild: { ...full.server, preserve_ephemeral: true },
  rescue: { adminPass: 'p', rescue_image_ref: UUID },
  lock: { locked_reason: 'r' },
  'os-resetState': { state: 'error' },
  'os-getConsoleOutput': { length: 1 },
  'os-getSerialConsole': { type: 'serial' },
  'os-start': null,
  trigger_crash_dump: null,
  changePassword: { adminPass: 'p' },
  resize: { flavorRef: '42' },
};
const BODIES: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['POST', '', full],
  [
    'PUT',
    '/ID',
    { server: { name: 'n', description: 'd', accessIPv4: '1.1.1.1', 'OS-DCF:diskConfig': 'AUTO' } },
  ],
  ...Object.entries(actions).map(([name, value]) => ['POST', '/ID/action', { [name]: value }] as const),
  ['POST', '/ID/metadata', { metadata: { a: 'b' } }],
  ['PUT', '/ID/metadata', { metadata: { a: 'b' } }],
  ['PUT', '/ID/metadata/a', { meta: { a: 'b' } }],
  ['PUT', '/ID/tags', { tags: ['a'] }],
  [
    'POST',
    '/ID/os-interface',
    { interfaceAttachment: { net_id: UUID, port_id: UUID, fixed_ips: [{ ip_address: '::1' }], tag: 't' } },
  ],
  ['POST', '/ID/remote-consoles', { remote_console: { protocol: 'serial', type: 'serial' } }],
];
// biome-ignore format: names
const ARGUMENTS = [
  'name', 'status', 'image', 'flavor', 'ip', 'ip6', 'reservation_id', 'changes-since', 'changes-before', 'tags', 'not-tags-any',
  'locked', 'uuid', 'host', 'node', 'vm_state', 'key_name', 'all_tenants', 'project_id', 'deleted', 'limit', 'marker',
  'sort_key', 'sort_dir', '_x', '__proto__', 'constructor', 'power_state', 'config_drive',
];
const VALUES = [
  '',
  '(',
  '\\',
  '[',
  'a{1',
  '(a*)*$',
  '%00',
  '%ff',
  '-1',
  '1e9',
  '99999999999999999999',
  '__proto__',
  'true',
  'x'.repeat(3000),
  '2026-13-45',
  '١',
  '*',
];

/** The body's text with each value in turn replaced by another. */
function* replaced(body: unknown, by: string): Generator<string> {
  yield by;
  if (typeof body !== 'object' || body === null) return;
  const isArray = Array.isArray(body);
  const entries = Object.entries(body);
  const write = (parts: readonly string[]) => (isArray ? `[${parts.join()}]` : `{${parts.join()}}`);
  const part = (name: string, text: string) => (isArray ? text : `${JSON.stringify(name)}:${text}`);
  for (const [index, [name, value]] of entries.entries()) {
    for (const text of replaced(value, by)) {
      yield write(
        entries.map(([other, old], at) =>
          part(at === index ? name : other, at === index ? text : JSON.stringify(old)),
        ),
      );
    }
  }
}

const places = BODIES.flatMap(([method, path, body]) =>
  [...replaced(body, '@')].map((text) => ({ method, path, text })),
);

describe('hostile requests', () => {
  it('in bodies', async () => {
    const any = fc.record({
      place: fc.constantFrom(...places),
      value: fc.constantFrom(...HOSTILE),
      minor: fc.constantFrom(...MINORS),
      as: fc.constantFrom(ANN, admin, reader('blue')),
    });
    await fc.assert(
      fc.asyncProperty(any, async ({ place: { method, path, text }, value, minor, as }) => {
        const url = `${SERVERS}${path.replace('ID', id)}`;
        const { status, body } = await test.call(
          method,
          url,
          text.replace('"@"', value).replace('@', value),
          { minor, as },
        );
        expect(status, JSON.stringify(body)).toBeLessThan(500);
      }),
      { numRuns: 250 },
    );
  });

  it('in queries', async () => {
    const query = fc.array(fc.tuple(fc.constantFrom(...ARGUMENTS), fc.constantFrom(...VALUES)), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.constantFrom(...MINORS),
        fc.constantFrom(ANN, admin),
        async (pairs, minor, as) => {
          const text = pairs
            .map(([name, value]) => `${name}=${value.includes('%') ? value : encodeURIComponent(value)}`)
            .join('&');
          const { status, body } = await test.call('GET', `${SERVERS}/detail?${text}`, undefined, {
            minor,
            as,
          });
          expect(status, JSON.stringify(body)).toBeLessThan(500);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('in paths, on every route', async () => {
    expect(routes.length).toBeGreaterThan(34);
    for (const { method, url } of routes) {
      for (const hostile of ['%00', '..%2f..', 'x'.repeat(500), '__proto__']) {
        const own = url.replace(':id', id).replaceAll(/:\w+/g, hostile);
        // as it is, one of them deletes it
        const paths = own === url.replace(':id', id) ? [] : [own];
        for (const path of [...paths, url.replaceAll(/:\w+/g, hostile)]) {
          const body = method === 'GET' ? undefined : '{}';
          const { status } = await test.call(method, path, body, { minor: 73 });
          expect(status, `${method} ${path}`).toBeLessThan(500);
        }
      }
    }
  });
});
