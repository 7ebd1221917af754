import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, type CloudCallOptions, member } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  SERVERS,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';

let test: TestServersApi;
/** Name -> id. */
const ids: Record<string, string> = {};
const ANN = member('blue', 'ann');

beforeAll(async () => {
  test = await createTestServersApi();
  ids['web-1'] = await test.running({ name: 'web-1', tags: ['a', 'b'] }, { as: ANN, minor: 52 });
  test.wait();
  ids['web-2'] = await test.running({ name: 'web-2', tags: ['b'] }, { as: ANN, minor: 52 });
  test.wait();
  ids['db(1)'] = (await test.create({ name: 'db(1)' }, { as: ANN })).body.server.id;
  test.wait();
  ids['gone'] = await test.running({ name: 'gone' }, { as: ANN });
  await test.call('DELETE', `${SERVERS}/${ids['gone']}`, undefined, { as: ANN });
  ids['red'] = await test.running({ name: 'red' }, { as: member('red') });
  await test.store.compute.servers.update(
    ids['web-2']!,
    { vmState: 'stopped', isLocked: true },
    test.deps.now(),
  );
});
afterAll(() => test.close());

const list = (query = '', options: CloudCallOptions = { as: ANN }) =>
  test.call('GET', `${SERVERS}${query}`, undefined, options);
const names = async (query: string, options?: CloudCallOptions) => {
  const { body, status } = await list(query, options);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.servers as { name: string }[]).map(({ name }) => name);
};

describe('GET /servers', () => {
  it('shows the newest first, in the short form', async () => {
    const { body } = await list();
    expect(body).toEqual({
      servers: ['db(1)', 'web-2', 'web-1'].map((name) => ({
        id: ids[name],
        name,
        links: [
          { rel: 'self', href: `http://cloud.test${SERVERS}/${ids[name]}` },
          { rel: 'bookmark', href: `http://cloud.test/compute/servers/${ids[name]}` },
        ],
      })),
    });
  });

  it('with details shows servers like GET, except their groups', async () => {
    const options = { as: ANN, minor: 73 };
    const { body } = await list('/detail', options);
    for (const shown of body.servers) {
      const one = (await test.call('GET', `${SERVERS}/${shown.id}`, undefined, options)).body.server;
      const { server_groups: _, ...rest } = one;
      expect(shown).toEqual(rest);
    }
  });

  it.each<[query: string, expected: string[], minor?: number]>([
    ['name=web', ['web-2', 'web-1']],
    ['name=^web-[2-9]$', ['web-2']],
    ['name=db(1)', ['db(1)']],
    ['name=^(a%2B)%2B$', []],
    ['status=active', ['web-1']],
    ['status=ACTIVE&status=BUILD', ['db(1)', 'web-1']],
    ['status=PAUSED', []],
    ['status=none', []],
    ['flavor=42', ['db(1)', 'web-2', 'web-1']],
    ['flavor=43', []],
    ['image=none', []],
    ['ip=^10.9.0', ['web-2', 'web-1']],
    ['ip6=fe80', ['db(1)', 'web-2', 'web-1']],
    ['ip6=fe80', [], 5],
    ['tags=b', ['db(1)', 'web-2', 'web-1']],
    ['tags=a,b', ['web-1'], 26],
    ['tags-any=a,x', ['web-1'], 26],
    ['not-tags=a,b', ['db(1)', 'web-2'], 26],
    ['not-tags-any=a,b', ['db(1)'], 26],
    ['locked=true', ['web-2'], 73],
    ['locked=false', ['db(1)', 'web-1'], 73],
    ['changes-since=2026-01-01T00:02:00Z', ['gone', 'db(1)', 'web-2']],
    ['changes-before=2026-01-01T00:01:30', ['web-1'], 66],
    // not for this caller, so passed over
    ['host=elsewhere', ['db(1)', 'web-2', 'web-1']],
    ['deleted=true', ['db(1)', 'web-2', 'web-1']],
    ['uuid=x&unknown=1&_x=2', ['db(1)', 'web-2', 'web-1']],
    ['sort_key=display_name&sort_dir=asc', ['db(1)', 'web-1', 'web-2']],
    ['sort_key=vm_state&sort_dir=asc&sort_key=display_name&sort_dir=desc', ['web-1', 'db(1)', 'web-2']],
    ['sort_key=vm_state&sort_dir=desc&sort_key=created_at', ['web-2', 'db(1)', 'web-1']],
    ['sort_key=vcpus', ['db(1)', 'web-2', 'web-1']],
    ['limit=0', []],
  ])('?%s', async (query, expected, minor = 1) => {
    expect(await names(`?${query}`, { as: ANN, minor })).toEqual(expected);
  });

  it.each<[query: string, expected: string[], minor?: number]>([
    ['', []],
    ['all_tenants=1', ['red', 'db(1)', 'web-2', 'web-1']],
    ['all_tenants&name=red', ['red']],
    ['all_tenants=True&project_id=blue', ['db(1)', 'web-2', 'web-1']],
    ['all_tenants=0', []],
    ['all_tenants=1&host=conductor-1', ['red', 'web-2', 'web-1']],
    ['all_tenants=1&vm_state=stopped', ['web-2']],
    ['all_tenants=1&deleted=true', ['gone']],
    ['all_tenants=1&status=deleted', ['gone']],
    ['all_tenants=1&user_id=ann&sort_key=host', ['web-2', 'web-1', 'db(1)']],
    ['all_tenants=1&config_drive=false', []],
  ])('administrators: ?%s', async (query, expected, minor = 1) => {
    expect(await names(`?${query}`, { as: admin, minor })).toEqual(expected);
  });

  it.each<[query: string, status: number, text: string, as?: typeof ANN, minor?: number]>([
    ['all_tenants=1', 403, 'os_compute_api:servers:index:get_all_tenants'],
    ['status=deleted', 403, 'Only administrators may list deleted instances'],
    ['sort_key=host', 403, 'Only administrators can sort servers by host'],
    ['name=(', 400, "'(' is not a 'regex'"],
    ['name=(%3F=x)', 400, "is not a 'regex'"],
    ['status=none', 400, 'Invalid status value', ANN, 38],
    ['changes-since=yesterday', 400, "is not a 'date-time'"],
    [
      'changes-since=2026-02-01&changes-before=2026-01-01',
      400,
      'must be less than or equal to changes-before',
      ANN,
      66,
    ],
    ['limit=-1', 400, 'limit'],
    ['limit=x', 400, 'limit'],
    ['marker=none', 400, 'marker [none] not found'],
    ['sort_key=adminPass', 400, 'sort_key'],
    ['sort_key=__proto__', 400, 'sort_key'],
    ['sort_dir=up', 400, 'sort_dir'],
    ['_sa=1', 400, 'Invalid filter field: _sa.', admin],
    ['metadata=1', 400, 'Invalid filter field: metadata.', admin],
  ])('?%s: %i', async (query, status, text, as = ANN, minor = 1) => {
    const answer = await list(`?${query}`, { as, minor });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      status,
      expect.stringContaining(text.replaceAll('"', '\\"')),
    ]);
  });

  it.each(['', 'sort_key=display_name&sort_dir=asc', 'sort_key=user_id&sort_key=display_name&sort_dir=asc'])(
    'comes in pages that join: %s',
    async (order) => {
      const found: string[] = [];
      let next: string | undefined =
        `${SERVERS}/detail?limit=2&status=ACTIVE&status=SHUTOFF&status=BUILD&${order}`;
      for (let pages = 0; next !== undefined; pages += 1) {
        expect(pages).toBeLessThan(3);
        const { body } = await test.call('GET', next, undefined, { as: ANN });
        expect(body.servers.length).toBeLessThanOrEqual(2);
        found.push(...body.servers.map(({ name }: { name: string }) => name));
        const href: string | undefined = body.servers_links?.[0]?.href;
        next = href?.replace('http://cloud.test', '');
      }
      expect(found).toEqual(await names(`?${order}`));
    },
  );

  it('does not accept markers of other projects', async () => {
    expect((await list(`?marker=${ids['red']}`)).status).toBe(400);
    expect(await names(`?marker=${ids['web-2']}`)).toEqual(['web-1']);
  });
});
