/** Lists of Nova's older API, and its views of other services. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { member } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';

const V = '/compute/v2.1';
const ANN = member('blue', 'ann');
let test: TestServersApi;
let server: string;
beforeAll(async () => {
  test = await createTestServersApi();
  server = await test.running({}, { as: ANN });
  const service = { host: 'conductor-1', isDisabled: false, disabledReason: null, forcedDown: false };
  for (const binary of ['nova-compute', 'nova-conductor'] as const) {
    const record = { ...service, uuid: randomUUID(), binary, reportedAt: new Date() };
    await test.store.compute.computeServices.create(record, new Date());
  }
});
afterAll(() => test.close());

const get = (path: string, options = {}) => test.call('GET', V + path, undefined, options);

describe('hosts', () => {
  it('are the conductors, by service and zone', async () => {
    expect((await get('/os-hosts')).body.hosts).toEqual([
      { host_name: 'conductor-1', service: 'compute', zone: 'nova' },
      { host_name: 'conductor-1', service: 'conductor', zone: 'internal' },
    ]);
    expect((await get('/os-hosts?zone=nova')).body.hosts).toHaveLength(1);
    expect((await get('/os-hosts', { as: ANN })).status).toBe(403);
    expect((await get('/os-hosts', { minor: 43 })).status).toBe(404);
  });

  it('show the resources of their machines, and those of their servers', async () => {
    const { host } = (await get('/os-hosts/conductor-1')).body;
    const rows = host.map(({ resource }: { resource: { project: string } }) => resource.project);
    expect(rows).toEqual(['(total)', '(used_now)', '(used_max)', 'blue']);
    expect(host[3].resource).toEqual({
      ...{ host: 'conductor-1', project: 'blue', cpu: 4, memory_mb: 8192, disk_gb: 40 },
    });
    expect((await get('/os-hosts/elsewhere')).status).toBe(404);
    expect((await get('/os-hosts/conductor-1/reboot')).body.badRequest.message).toContain(
      'disable its service',
    );
  });
});

describe('quota classes and the usage audit', () => {
  it('show the same limits as quotas, in old microversions without server groups', async () => {
    const at = async (minor: number) =>
      (await get('/os-quota-class-sets/default', { minor })).body.quota_class_set;
    expect(await at(1)).toMatchObject({ id: 'default', instances: -1, fixed_ips: -1 });
    expect(await at(1)).not.toHaveProperty('server_groups');
    expect(await at(50)).toMatchObject({ server_groups: -1 });
    const put = await test.call('PUT', `${V}/os-quota-class-sets/default`, { quota_class_set: {} });
    expect(put.body.badRequest.message).toContain('Quotas are not set here');
  });

  it('has never run', async () => {
    const asked = await get('/os-instance_usage_audit_log/2026-03-10%2012:00:00');
    expect(asked.body.instance_usage_audit_log).toMatchObject({
      ...{ period_beginning: '2026-02-01 00:00:00', period_ending: '2026-03-01 00:00:00' },
      ...{ num_hosts: 1, num_hosts_not_run: 1, hosts_not_run: ['conductor-1'], log: {} },
      overall_status: '0 of 1 hosts done. 0 errors.',
    });
    expect((await get('/os-instance_usage_audit_log')).body.instance_usage_audit_logs.total_errors).toBe(0);
    expect((await get('/os-instance_usage_audit_log/yesterday')).status).toBe(400);
  });
});

describe('other services in Nova’s API', () => {
  it('networks by id and name, until 2.35', async () => {
    const { uuid, name } = test.network;
    expect((await get('/os-networks', { as: ANN })).body.networks).toEqual([
      expect.objectContaining({ id: uuid, label: name, cidr: null }),
    ]);
    expect((await get('/os-networks')).body.networks[0]).toHaveProperty('multi_host', null);
    expect((await get(`/os-tenant-networks/${uuid}`, { as: ANN })).body).toEqual({
      network: { id: uuid, cidr: 'None', label: name },
    });
    expect((await get(`/os-networks/${randomUUID()}`)).status).toBe(404);
    expect((await get('/os-networks', { minor: 36 })).status).toBe(404);
  });

  it('images, read only', async () => {
    const [image] = test.images;
    const path = `/images/${image!.uuid}`;
    expect((await get('/images', { as: ANN })).body.images).toEqual([
      { id: image!.uuid, name: image!.name, links: expect.any(Array) },
    ]);
    expect((await get('/images/detail?status=ACTIVE&limit=1')).body).toMatchObject({
      images: [{ status: 'ACTIVE', progress: 100, minDisk: image!.minDiskGb }],
      images_links: [{ rel: 'next' }],
    });
    expect((await get('/images?name=other')).body.images).toEqual([]);
    expect((await get(path)).body.image.metadata).toEqual(image!.properties);
    expect((await get(`${path}/metadata`, { minor: 38 })).body).toEqual({ metadata: image!.properties });
    expect((await get(`${path}/metadata/none`)).status).toBe(404);
    expect((await get(`/images/${randomUUID()}`)).body.itemNotFound.message).toBe('Image not found.');
    const removed = await test.call('DELETE', V + path, undefined, { as: ANN });
    expect(removed.body.badRequest.message).toContain('deleted in the image service');
    expect((await get('/images', { minor: 36 })).status).toBe(404);
  });

  it.each([
    ['/os-migrations', { migrations: [] }],
    ['/os-security-groups', { security_groups: [] }],
    ['/os-volumes/detail', { volumes: [] }],
  ])('%s is empty', async (path, expected) => {
    expect((await get(path)).body).toEqual(expected);
  });
});

describe('events of other services', () => {
  const send = (events: unknown, options = {}) =>
    test.call('POST', `${V}/os-server-external-events`, { events }, options);
  it('are answered one by one', async () => {
    const one = { server_uuid: server, name: 'network-changed', tag: 'x' };
    expect(await send([one])).toMatchObject({
      ...{ status: 200, body: { events: [{ ...one, status: 'completed', code: 200 }] } },
    });
    const lost = { ...one, server_uuid: randomUUID() };
    const both = await send([one, lost]);
    expect(both.status).toBe(207);
    expect(both.body.events[1]).toMatchObject({ status: 'failed', code: 404 });
  });

  it('have the kinds of the microversion, for administrators', async () => {
    const one = { server_uuid: server, name: 'volume-extended' };
    expect((await send([one], { minor: 50 })).status).toBe(400);
    expect((await send([one], { minor: 51 })).body.events[0].code).toBe(400);
    expect((await send([])).status).toBe(400);
    expect((await send([one], { as: ANN })).status).toBe(403);
  });
});

describe('extensions', () => {
  it('have the fixed list of Nova', async () => {
    const { extensions } = (await get('/extensions', { as: ANN })).body;
    expect(extensions).toHaveLength(99);
    expect((await get('/extensions/os-keypairs')).body.extension).toMatchObject({
      ...{ alias: 'os-keypairs', name: 'Keypairs', links: [] },
    });
    expect((await test.call('GET', '/compute/v2/extensions/OS-EXT-VIF-NET')).status).toBe(200);
    expect((await get('/extensions/OS-EXT-VIF-NET')).status).toBe(404);
  });
});

describe('every answer', () => {
  it('has the request id in both headers', async () => {
    const { headers } = await get('/flavors');
    expect(headers['x-compute-request-id']).toBe(headers['x-openstack-request-id']);
    expect((await get('/nothing')).headers['x-compute-request-id']).toMatch(/^req-/);
  });

  it('is 404 for a trailing slash, but accepts an empty JSON body', async () => {
    expect((await get('/flavors/')).status).toBe(404);
    expect((await test.call('GET', `${V}/`)).status).toBe(200);
    const json = { headers: { 'content-type': 'application/json' } };
    expect((await test.call('DELETE', `${V}/servers/${server}/metadata/none`, undefined, json)).status).toBe(
      404,
    );
    expect((await test.call('DELETE', `${V}/servers/${server}`, undefined, json)).status).toBe(204);
  });
});

describe('aggregates', () => {
  it('with negative numbers do not exist', async () => {
    expect((await get('/os-aggregates/-1')).status).toBe(404);
    expect((await get('/os-aggregates/one')).status).toBe(400);
  });
});
