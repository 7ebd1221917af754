/** Metadata, tags, addresses, interfaces, actions and reports of a server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, type CloudCallOptions, member, reader } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  SERVERS,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';

let test: TestServersApi;
let id: string;
beforeAll(async () => {
  test = await createTestServersApi();
  id = await test.running({ metadata: { a: '1' } }, { as: ANN });
});
afterAll(() => test.close());

const ANN = member('blue', 'ann');
const call = (method: string, path: string, body?: unknown, options: CloudCallOptions = {}) =>
  test.call(method, `${SERVERS}/${id}${path}`, body, { as: ANN, minor: 73, ...options });
const set = (fields: object) => test.store.compute.servers.update(id, fields, new Date());

describe('metadata', () => {
  it('can be read, extended, replaced and removed', async () => {
    expect((await call('GET', '/metadata')).body).toEqual({ metadata: { a: '1' } });
    expect((await call('POST', '/metadata', { metadata: { b: '2' } })).body).toEqual({
      metadata: { a: '1', b: '2' },
    });
    expect((await call('PUT', '/metadata/b', { meta: { b: '3' } })).body).toEqual({ meta: { b: '3' } });
    expect((await call('GET', '/metadata/b')).body).toEqual({ meta: { b: '3' } });
    expect((await call('DELETE', '/metadata/b')).status).toBe(204);
    expect((await call('DELETE', '/metadata/b')).body.itemNotFound.message).toBe(
      'Metadata item was not found',
    );
    expect((await call('PUT', '/metadata', { metadata: { c: '' } })).body).toEqual({ metadata: { c: '' } });
  });

  it.each([
    ['PUT', '/metadata/b', { meta: { c: '3' } }, 400],
    ['PUT', '/metadata/b', { meta: { b: '3', c: '3' } }, 400],
    ['PUT', '/metadata/b', { meta: {} }, 400],
    ['POST', '/metadata', { metadata: { 'a/b': '' } }, 400],
    ['POST', '/metadata', { metadata: { a: 'x'.repeat(256) } }, 400],
    ['POST', '/metadata', {}, 400],
    [
      'POST',
      '/metadata',
      { metadata: Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`k${i}`, ''])) },
      403,
    ],
    ['GET', '/metadata/toString', undefined, 404],
  ])('%s %s %j: %i', async (method, path, body, status) => {
    expect((await call(method, path, body)).status).toBe(status);
  });

  it('of locked and unfinished servers can not be changed', async () => {
    const put = (options = {}) => call('PUT', '/metadata', { metadata: { a: '1' } }, options);
    await set({ isLocked: true });
    expect((await put()).body.conflictingRequest.message).toBe(`Instance ${id} is locked`);
    expect((await put({ as: admin })).status).toBe(200);
    await set({ isLocked: false, vmState: 'building' });
    expect((await put()).body.conflictingRequest.message).toBe(
      `Cannot 'update metadata' instance ${id} while it is in vm_state building`,
    );
    await set({ vmState: 'active' });
    expect((await put({ as: reader('blue') })).status).toBe(403);
    expect((await put({ as: member('red') })).status).toBe(404);
  });
});

describe('tags', () => {
  it('can be read, added, replaced and removed', async () => {
    expect((await call('PUT', '/tags', { tags: ['b', 'a', 'a'] })).body).toEqual({ tags: ['b', 'a'] });
    const { status, headers } = await call('PUT', '/tags/c%20d');
    expect([status, headers['location']]).toEqual([201, `http://cloud.test${SERVERS}/${id}/tags/c%20d`]);
    expect((await call('PUT', '/tags/a')).status).toBe(204);
    expect((await call('GET', '/tags/a')).status).toBe(204);
    expect((await call('DELETE', '/tags/a')).status).toBe(204);
    expect((await call('GET', '/tags/a')).body.itemNotFound.message).toBe(`Server ${id} has no tag 'a'`);
    expect((await call('DELETE', '/tags/a')).status).toBe(404);
    expect((await call('GET', '/tags')).body).toEqual({ tags: ['b', 'c d'] });
    expect((await call('DELETE', '/tags')).status).toBe(204);
    expect((await call('GET', '/tags')).body).toEqual({ tags: [] });
  });

  it('have limits', async () => {
    expect((await call('PUT', '/tags/a,b')).status).toBe(400);
    expect((await call('PUT', `/tags/${'x'.repeat(61)}`)).status).toBe(400);
    expect((await call('PUT', '/tags', { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) })).status).toBe(
      400,
    );
    await call('PUT', '/tags', { tags: Array.from({ length: 50 }, (_, i) => `t${i}`) });
    expect((await call('PUT', '/tags/more')).body.badRequest.message).toContain('per-server limit 50');
    expect((await call('PUT', '/tags/t1')).status).toBe(204);
    expect((await call('GET', '/tags', undefined, { minor: 25 })).status).toBe(404);
  });
});

describe('addresses and interfaces', () => {
  it('are shown by network', async () => {
    const { body } = await call('GET', '/ips');
    expect(body).toEqual({
      addresses: { rack: [{ version: 4, addr: expect.stringMatching(/^10\.9\.0\./) }] },
    });
    expect((await call('GET', '/ips/rack')).body).toEqual(body.addresses);
    expect((await call('GET', '/ips/other')).body.itemNotFound.message).toBe(
      'Instance is not a member of specified network',
    );
  });

  it('are listed, shown, attached and detached', async () => {
    const { body } = await call('GET', '/os-interface', undefined, { minor: 69 });
    const [first] = body.interfaceAttachments;
    expect(first).toEqual({
      net_id: test.network.uuid,
      port_id: expect.any(String),
      mac_addr: expect.stringMatching(/^52:54:/),
      port_state: 'ACTIVE',
      fixed_ips: [{ subnet_id: test.subnet.uuid, ip_address: expect.any(String) }],
    });
    const path = `/os-interface/${first.port_id}`;
    expect((await call('GET', path)).body).toEqual({ interfaceAttachment: { ...first, tag: null } });
    expect((await call('DELETE', path)).status).toBe(202);
    expect((await call('GET', path)).body.itemNotFound.message).toContain('does not have a port with id');
    const wish = { net_id: test.network.uuid, fixed_ips: [{ ip_address: '10.9.0.77' }] };
    const attached = await call('POST', '/os-interface', { interfaceAttachment: wish });
    expect(attached.body.interfaceAttachment?.fixed_ips, JSON.stringify(attached.body)).toEqual([
      { subnet_id: test.subnet.uuid, ip_address: '10.9.0.77' },
    ]);
  });

  it.each([
    [{ net_id: 'x' }, 400],
    [{ fixed_ips: [{ ip_address: '10.9.0.1' }] }, 400],
    [{ fixed_ips: [] }, 400],
    [{ net_id: '0'.repeat(32), port_id: '0'.repeat(32) }, 400],
    [{ tag: 'x' }, 400],
  ])('%j is refused', async (interfaceAttachment, status) => {
    expect((await call('POST', '/os-interface', { interfaceAttachment })).status).toBe(status);
  });

  it('shows the requested tags', async () => {
    const other = await test.running(
      { networks: [{ uuid: test.network.uuid, tag: 'front' }] },
      { as: ANN, minor: 42 },
    );
    const { body } = await test.call('GET', `${SERVERS}/${other}/os-interface`, undefined, {
      as: ANN,
      minor: 70,
    });
    expect(body.interfaceAttachments).toMatchObject([{ tag: 'front' }]);
  });
});

describe('instance actions', () => {
  it('shows the requested actions, newest first', async () => {
    test.wait();
    const { headers } = await call('POST', '/action', { 'os-stop': null });
    await call('POST', '/action', { 'os-start': null });
    const { body } = await call('GET', '/os-instance-actions', undefined, { minor: 1 });
    const actions = body.instanceActions as { action: string }[];
    expect(actions.map(({ action }) => action)).toEqual(['start', 'stop', 'create']);
    const requestId = String(headers['x-openstack-request-id']);
    const stop = {
      action: 'stop',
      instance_uuid: id,
      request_id: requestId,
      user_id: 'ann',
      project_id: 'blue',
      start_time: '2026-01-01T00:01:00.000000',
      message: null,
    };
    expect(actions[1]).toEqual(stop);
    const one = async (minor: number, as = ANN) =>
      (await call('GET', `/os-instance-actions/${requestId}`, undefined, { minor, as })).body.instanceAction;
    const time = '2026-01-01T00:01:00.000000';
    const event = { event: 'compute_stop_instance', start_time: time, finish_time: time, result: 'Success' };
    expect(await one(50)).toEqual(stop);
    expect(await one(51)).toEqual({ ...stop, events: [event] });
    expect(await one(1, admin)).toEqual({ ...stop, events: [{ ...event, traceback: null }] });
    const hostId = expect.stringMatching(/^[0-9a-f]{56}$/);
    expect(await one(62)).toEqual({ ...stop, updated_at: time, events: [{ ...event, hostId }] });
    expect((await one(62, admin)).events[0]).toEqual({
      ...event,
      traceback: null,
      hostId,
      host: 'conductor-1',
    });
  });

  it('comes in pages and periods', async () => {
    const list = async (query: string, minor = 66) =>
      (await call('GET', `/os-instance-actions?${query}`, undefined, { minor })).body;
    const first = await list('limit=2');
    expect(first.links).toEqual([
      { rel: 'next', href: expect.stringContaining(`${id}/os-instance-actions?limit=2&marker=req-`) },
    ]);
    const rest = await list(first.links[0].href.split('?')[1]);
    expect(rest.instanceActions).toMatchObject([{ action: 'create' }]);
    expect(rest.links).toBeUndefined();
    expect((await list('changes-since=2026-01-01T00:00:30Z')).instanceActions).toHaveLength(2);
    expect((await list('changes-before=2026-01-01T00:00:30Z')).instanceActions).toHaveLength(1);
    expect(await list('changes-before=2026-01-01', 58)).toHaveProperty('badRequest');
    expect(await list('changes-since=2026-01-02&changes-before=2026-01-01')).toHaveProperty('badRequest');
    expect(await list('marker=none')).toHaveProperty('badRequest');
    expect(await list('other=1')).toHaveProperty('badRequest');
    expect((await call('GET', '/os-instance-actions/none')).body.itemNotFound.message).toBe(
      'Action none not found',
    );
  });

  it('of deleted servers are shown from 2.21 on', async () => {
    const other = await test.running({}, { as: ANN });
    await test.call('DELETE', `${SERVERS}/${other}`, undefined, { as: ANN });
    const ask = (minor: number, as = ANN) =>
      test.call('GET', `${SERVERS}/${other}/os-instance-actions`, undefined, { as, minor });
    expect((await ask(20)).status).toBe(404);
    expect((await ask(21)).body.instanceActions[0].action).toBe('delete');
    expect((await ask(21, member('red'))).status).toBe(404);
  });
});

describe('reports', () => {
  it('diagnostics, for administrators', async () => {
    expect((await call('GET', '/diagnostics')).status).toBe(403);
    const { body } = await call('GET', '/diagnostics', undefined, { as: admin });
    expect(body).toMatchObject({
      state: 'running',
      driver: 'ironic',
      num_cpus: 4,
      num_nics: 1,
      num_disks: 0,
      memory_details: { maximum: 8192, used: null },
      nic_details: [{ mac_address: expect.any(String), rx_octets: null, tx_rate: null }],
    });
    expect((await call('GET', '/diagnostics', undefined, { as: admin, minor: 47 })).body).toEqual({
      memory: 8192 * 1024,
    });
  });

  it('resources that machines do not have are empty lists', async () => {
    for (const [path, answer] of [
      ['os-security-groups', { security_groups: [] }],
      ['os-volume_attachments', { volumeAttachments: [] }],
      ['os-server-password', { password: '' }],
    ] as const) {
      expect((await call('GET', `/${path}`)).body).toEqual(answer);
      expect((await call('GET', `/${path}`, undefined, { as: member('red') })).status).toBe(404);
    }
    expect((await call('GET', '/migrations', undefined, { as: admin })).body).toEqual({ migrations: [] });
    expect((await call('GET', '/migrations')).status).toBe(403);
    expect((await call('DELETE', '/os-server-password')).status).toBe(204);
    expect((await call('POST', '/os-volume_attachments', {})).body.badRequest.message).toContain(
      'Volumes are not supported',
    );
  });
});
