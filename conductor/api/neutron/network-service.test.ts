import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  admin,
  type CloudAnswer,
  type CloudCall,
  type CloudCallOptions,
  createTestCloud,
  member,
  reader,
  type TestCloud,
} from '../../../test/fakes/compute/cloud.ts';
import { networkPortOf, serverOf } from '../../../test/fakes/compute/records.ts';
import { fc } from '../../../test/random-cases.ts';
import { ALL_ROWS, listAll } from '../../domain/store/page.ts';
import { PORT_QUOTA } from '../../network-service/port-quota.ts';
import { createNetworkService } from './network-service.ts';

const DHCP = { cidr: '10.9.0.0/24', taken: ['10.9.0.2'], rangeStart: '10.9.0.100', rangeEnd: '10.9.0.200' };
const V2 = '/network/v2.0';
const blue = { as: member('blue') };
const red = { as: member('red') };
let cloud: TestCloud;

beforeAll(async () => {
  cloud = await createTestCloud([createNetworkService(DHCP)]);
});
afterAll(() => cloud.close());
afterEach(() =>
  cloud.store.transaction(async ({ compute }) => {
    for (const records of [compute.networks, compute.subnets, compute.networkPorts, compute.ipAllocations])
      for (const { uuid } of await records.list({}, ALL_ROWS)) await records.delete(uuid);
  }),
);

const call: CloudCall = (method, path, body, options) => cloud.call(method, `${V2}${path}`, body, options);
const get = (path: string, options?: CloudCallOptions) => call('GET', path, undefined, options);
const remove = (path: string, options?: CloudCallOptions) => call('DELETE', path, undefined, options);
const refusal = ({ status, body }: CloudAnswer) => [status, body?.NeutronError?.type];
/** Creates a resource; throws if that fails. */
async function make(kind: 'network' | 'subnet' | 'port', fields: object, options?: CloudCallOptions) {
  const answer = await call('POST', `/${kind}s`, { [kind]: fields }, options);
  expect([answer.status, answer.body.NeutronError]).toEqual([201, undefined]);
  return answer.body[kind];
}
async function rack() {
  const network = await make('network', { name: 'rack', shared: true });
  const subnet = await make('subnet', { network_id: network.id, ip_version: 4, cidr: '10.9.0.0/24' });
  return { network, subnet };
}

describe('networks, subnets and ports', () => {
  it('has the host bits of a cidr masked', async () => {
    const { id: network_id } = await make('network', { name: 'n' });
    const subnet = await make('subnet', { network_id, ip_version: 4, cidr: '10.7.0.5/24' });
    expect([subnet.cidr, subnet.gateway_ip]).toEqual(['10.7.0.0/24', '10.7.0.1']);
  });

  it('is 404 for members when they may not see it, and 403 when they may only see it', async () => {
    const { id } = await make('network', { name: 'hidden' });
    const shared = await make('network', { name: 'shared', shared: true });
    const ask = async (path: string) => {
      const name = path.split('/')[1]!.replace(/s$/, '');
      const put = await call('PUT', path, { [name]: { name: 'x' } }, blue);
      return [refusal(put)[0], refusal(await remove(path, blue))[0]];
    };
    for (const path of ['/networks', '/subnets', '/ports'])
      expect([path, ...(await ask(`${path}/${randomUUID()}`))]).toEqual([path, 404, 404]);
    expect(await ask(`/networks/${id}`)).toEqual([404, 404]);
    expect(await ask(`/networks/${shared.id}`)).toEqual([403, 403]);
    expect(refusal(await call('POST', '/networks', { network: {} }, blue))[0]).toBe(403);
  });

  it('is an empty list for resources that machines do not have', async () => {
    expect((await get('/qos/policies', blue)).body).toEqual({ policies: [] });
    expect((await get('/network_segment_ranges')).body).toEqual({ network_segment_ranges: [] });
  });
});

describe('the network service', () => {
  it('shows its versions to everybody, and the rest to authenticated callers', async () => {
    const links = [{ href: 'http://cloud.test/network/v2.0/', rel: 'self' }];
    const nobody = { as: null };
    expect((await cloud.call('GET', '/network/', undefined, nobody)).body).toEqual({
      versions: [{ id: 'v2.0', status: 'CURRENT', links }],
    });
    expect((await get('/networks', nobody)).status).toBe(401);
    expect((await get('')).body.resources).toHaveLength(3);
    expect((await get('/extensions')).body.extensions.map((one: { alias: string }) => one.alias)).toContain(
      'provider',
    );
    expect((await get('/extensions/external-net')).body.extension.alias).toBe('external-net');
    expect(refusal(await get('/extensions/router'))).toEqual([404, 'HTTPNotFound']);
    expect(refusal(await get('/nothing'))).toEqual([404, 'HTTPNotFound']);
  });

  it.each(['routers', 'security-groups', 'floatingips', 'agents'])(
    'has no %s and says why',
    async (plural) => {
      expect((await get(`/${plural}`)).body).toEqual({ [plural.replace('-', '_')]: [] });
      const answer = await call('POST', `/${plural}`, {});
      expect([answer.status, answer.body.NeutronError.message]).toEqual([
        400,
        expect.stringMatching(/^Ingot has no /),
      ]);
    },
  );

  it('shows its fixed quotas', async () => {
    expect((await get('/quotas/blue', blue)).body.quota).toMatchObject({ port: PORT_QUOTA, router: 0 });
    await rack();
    expect((await get('/quotas/default/details')).body.quota.network).toEqual({
      limit: -1,
      used: 1,
      reserved: 0,
    });
    expect(refusal(await get('/quotas/red', blue))).toEqual([403, 'PolicyNotAuthorized']);
    expect((await call('PUT', '/quotas/blue', { quota: { port: 1 } })).status).toBe(400);
  });
});

describe('networks', () => {
  it('live', async () => {
    const { network, subnet } = await rack();
    expect((await get(`/networks/${network.id}`)).body.network).toMatchObject({
      ...{ id: network.id, name: 'rack', status: 'ACTIVE', shared: true, subnets: [subnet.id], mtu: 1500 },
      ...{ 'router:external': false, 'provider:network_type': 'flat', project_id: 'default', tags: [] },
    });
    const changed = await call('PUT', `/networks/${network.id}`, { network: { name: 'b', mtu: 9000 } });
    expect(changed.body.network).toMatchObject({ name: 'b', mtu: 9000, subnets: [subnet.id] });
    expect((await remove(`/networks/${network.id}`)).status).toBe(204);
    expect(refusal(await get(`/networks/${network.id}`))).toEqual([404, 'NetworkNotFound']);
    expect(refusal(await get(`/subnets/${subnet.id}`))).toEqual([404, 'SubnetNotFound']);
  });

  it('are all created by a bulk request, or none', async () => {
    const wire = { 'provider:physical_network': 'a' };
    const made = await call('POST', '/networks', { networks: [{ name: 'a' }, { network: { name: 'b' } }] });
    expect([made.status, made.body.networks.length]).toEqual([201, 2]);
    expect(refusal(await call('POST', '/networks', { networks: [wire, wire] }))).toEqual([
      409,
      'FlatNetworkInUse',
    ]);
    expect((await get('/networks')).body.networks).toHaveLength(2);
  });

  it.each([
    ['no body', undefined, 400, 'HTTPBadRequest'],
    ['a list', [], 400, 'HTTPBadRequest'],
    ['another key', { net: {} }, 400, 'HTTPBadRequest'],
    ['no object', { network: 5 }, 400, 'HTTPBadRequest'],
    ['nothing in bulk', { networks: [] }, 400, 'HTTPBadRequest'],
    ['an unknown attribute', { network: { nmae: 'x' } }, 400, 'HTTPBadRequest'],
    ['one that is not set', { network: { status: 'DOWN' } }, 400, 'HTTPBadRequest'],
    ['a name of another type', { network: { name: 5 } }, 400, 'HTTPBadRequest'],
    ['a long name', { network: { name: 'x'.repeat(256) } }, 400, 'HTTPBadRequest'],
    ['an MTU that is none', { network: { mtu: 1 } }, 400, 'HTTPBadRequest'],
    ['a tunnel', { network: { 'provider:network_type': 'vxlan' } }, 400, 'HTTPBadRequest'],
    ['a VLAN without a wire', { network: { 'provider:network_type': 'vlan' } }, 400, 'InvalidInput'],
    ['a flat VLAN', { network: { 'provider:segmentation_id': 5 } }, 400, 'InvalidInput'],
    ['two projects', { network: { project_id: 'a', tenant_id: 'b' } }, 400, 'HTTPBadRequest'],
    ['filtering', { network: { port_security_enabled: true } }, 400, 'HTTPBadRequest'],
  ])('are refused for %s', async (_, body, status, type) => {
    expect(refusal(await call('POST', '/networks', body))).toEqual([status, type]);
  });

  it('of a physical network are one flat one, and one for each VLAN', async () => {
    const vlan = (id: number) => ({
      ...{
        'provider:network_type': 'vlan',
        'provider:physical_network': 'a',
        'provider:segmentation_id': id,
      },
    });
    await make('network', { 'provider:physical_network': 'a' });
    await make('network', vlan(5));
    await make('network', vlan(6));
    expect(refusal(await call('POST', '/networks', { network: vlan(6) }))).toEqual([409, 'VlanIdInUse']);
  });

  it('belong to administrators; others see their own and shared ones, without the physical network', async () => {
    const { network } = await rack();
    const hidden = await make('network', { name: 'hidden' });
    const mine = await make('network', { name: 'mine', project_id: 'blue' });
    const outside = await make('network', { name: 'outside', 'router:external': true });
    const seen = (await get('/networks', blue)).body.networks;
    expect(seen.map(({ id }: { id: string }) => id)).toEqual([network.id, mine.id, outside.id]);
    expect(seen[0]).not.toHaveProperty('provider:physical_network');
    expect(refusal(await get(`/networks/${hidden.id}`, blue))).toEqual([404, 'NetworkNotFound']);
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${mine.id}`],
      ['DELETE', `/${mine.id}`],
    ] as const)
      expect(refusal(await call(method, `/networks${path}`, { network: {} }, blue))).toEqual([
        403,
        'PolicyNotAuthorized',
      ]);
    expect(refusal(await get('/networks?provider:physical_network=rack', blue))).toEqual([
      400,
      'InvalidInput',
    ]);
  });

  it('can not be deleted while they have ports, and stay shared while other projects use them', async () => {
    const { network } = await rack();
    const port = await make('port', { network_id: network.id }, blue);
    expect(refusal(await remove(`/networks/${network.id}`))).toEqual([409, 'NetworkInUse']);
    const unshare = () => call('PUT', `/networks/${network.id}`, { network: { shared: false } });
    expect(refusal(await unshare())).toEqual([409, 'InvalidSharedSetting']);
    expect((await remove(`/ports/${port.id}`, blue)).status).toBe(204);
    expect((await unshare()).body.network.shared).toBe(false);
  });

  it('have tags', async () => {
    const { network } = await rack();
    const path = `/networks/${network.id}/tags`;
    expect((await call('PUT', path, { tags: ['a', 'b'] })).body).toEqual({ tags: ['a', 'b'] });
    expect((await call('PUT', `${path}/c`)).status).toBe(201);
    expect((await get(`${path}/c`)).status).toBe(204);
    expect((await remove(`${path}/a`)).status).toBe(204);
    expect((await get(path)).body).toEqual({ tags: ['b', 'c'] });
    expect(refusal(await remove(`${path}/a`))).toEqual([404, 'TagNotFound']);
    expect(refusal(await call('PUT', path, { tags: ['a', 'a'] }))).toEqual([400, 'InvalidInput']);
    expect(refusal(await call('PUT', path, null))).toEqual([400, 'InvalidInput']);
    const ids = async (query: string) => (await get(`/networks?${query}`)).body.networks.length;
    expect([
      await ids('tags=b,c'),
      await ids('tags=a,b'),
      await ids('tags-any=a,b'),
      await ids('not-tags=b'),
    ]).toEqual([1, 0, 1, 0]);
    expect((await remove(path)).status).toBe(204);
    expect(await ids('not-tags-any=b')).toBe(1);
  });
});

describe('lists', () => {
  const names = ({ body }: CloudAnswer) => body.networks.map(({ name }: { name: string }) => name);
  beforeEach(async () => {
    const networks = ['c', 'a', 'b', 'a'].map((name, index) => ({
      name,
      mtu: 1500 + index,
      shared: index < 2,
    }));
    await call('POST', '/networks', { networks });
  });

  it.each([
    ['name=a', ['a', 'a']],
    ['name=a&name=b', ['a', 'b', 'a']],
    ['shared=True', ['c', 'a']],
    ['mtu=1502', ['b']],
    ['name=a&shared=false', ['a']],
    ['sort_key=name&sort_dir=desc&sort_key=mtu&sort_dir=desc', ['c', 'b', 'a', 'a']],
    ['sort_key=name&limit=2', ['a', 'a']],
    ['limit=0', ['c', 'a', 'b', 'a']],
  ])('by %s', async (query, expected) => expect(names(await get(`/networks?${query}`))).toEqual(expected));

  it.each([
    'nme=a',
    'sort_key=x',
    'sort_key=name&sort_dir=up',
    'sort_key=name&sort_dir=asc&sort_dir=asc',
    'limit=x',
    'limit=-1',
    'marker=x',
    '__proto__=x',
    'constructor=x',
  ])('are refused for %s', async (query) => expect((await get(`/networks?${query}`)).status).toBe(400));

  it('have pages with links to each other', async () => {
    const follow = async (href: string) => get(href.slice(`http://cloud.test${V2}`.length));
    const linkOf = ({ body }: CloudAnswer, rel: string) =>
      body.networks_links?.find((link: { rel: string }) => link.rel === rel)?.href;
    const first = await get('/networks?limit=3&sort_key=mtu&fields=name&fields=id');
    expect(names(first)).toEqual(['c', 'a', 'b']);
    expect(Object.keys(first.body.networks[0])).toEqual(['id', 'name']);
    const second = await follow(linkOf(first, 'next'));
    expect([names(second), linkOf(second, 'next')]).toEqual([['a'], undefined]);
    const back = await follow(linkOf(second, 'previous'));
    expect([names(back), linkOf(back, 'previous')]).toEqual([['c', 'a', 'b'], undefined]);
  });
});

describe('subnets', () => {
  it('have a default router and default pools, or exactly the given ones', async () => {
    const { network, subnet } = await rack();
    expect(subnet).toMatchObject({
      ...{ gateway_ip: '10.9.0.1', enable_dhcp: true, ip_version: 4, project_id: 'default' },
      allocation_pools: [{ start: '10.9.0.2', end: '10.9.0.254' }],
    });
    const pool = { start: 'fd00::0:9', end: 'fd00::ff' };
    const six = await make('subnet', {
      ...{ network_id: network.id, cidr: 'fd00::/64', gateway_ip: null, allocation_pools: [pool] },
      host_routes: [{ destination: 'fd01::/48', nexthop: 'fd00::fe' }],
      dns_nameservers: ['fd00::0053'],
    });
    expect(six).toMatchObject({
      ...{ ip_version: 6, gateway_ip: null, dns_nameservers: ['fd00::53'] },
      allocation_pools: [{ start: 'fd00::9', end: 'fd00::ff' }],
    });
    const changed = await call('PUT', `/subnets/${subnet.id}`, {
      subnet: { allocation_pools: [{ start: '10.9.0.50', end: '10.9.0.60' }], gateway_ip: '10.9.0.3' },
    });
    expect(changed.body.subnet).toMatchObject({ gateway_ip: '10.9.0.3', cidr: '10.9.0.0/24' });
    const port = await make('port', { network_id: network.id });
    expect(port.fixed_ips.map((ip: { ip_address: string }) => ip.ip_address)).toEqual([
      '10.9.0.50',
      'fd00::9',
    ]);
    expect(refusal(await remove(`/subnets/${subnet.id}`))).toEqual([409, 'SubnetInUse']);
    await remove(`/ports/${port.id}`);
    expect((await remove(`/subnets/${subnet.id}`)).status).toBe(204);
    expect((await get('/subnets', blue)).body.subnets).toHaveLength(1);
  });

  it.each([
    ['no network', { network_id: randomUUID() }, 404, 'NetworkNotFound'],
    ['no prefix', { cidr: '10.7.0.0' }, 400, 'HTTPBadRequest'],
    ['no network at all', { cidr: 'x' }, 400, 'HTTPBadRequest'],
    ['the other family', { ip_version: 6 }, 400, 'InvalidInput'],
    ['an overlap', { cidr: '10.9.0.0/25' }, 400, 'InvalidInput'],
    ['multicast', { cidr: '224.0.0.0/24' }, 400, 'InvalidInput'],
    ['loopback', { cidr: '127.1.0.0/24' }, 400, 'InvalidInput'],
    ['no room for DHCP', { cidr: '10.7.0.0/31' }, 400, 'InvalidInput'],
    ['a router outside', { gateway_ip: '10.8.0.1' }, 400, 'InvalidInput'],
    ['the network as router', { gateway_ip: '10.7.0.0' }, 400, 'InvalidInput'],
    ['a router of the other family', { gateway_ip: 'fd00::1' }, 400, 'InvalidInput'],
    [
      'a pool outside',
      { allocation_pools: [{ start: '10.8.0.2', end: '10.8.0.9' }] },
      400,
      'OutOfBoundsAllocationPool',
    ],
    [
      'the router in a pool',
      { allocation_pools: [{ start: '10.7.0.1', end: '10.7.0.9' }] },
      409,
      'GatewayConflictWithAllocationPools',
    ],
    ['half a pool', { allocation_pools: [{ start: '10.7.0.2' }] }, 400, 'HTTPBadRequest'],
    ['a name server of the other family', { dns_nameservers: ['fd00::1'] }, 400, 'InvalidInput'],
    [
      'a route that is none',
      { host_routes: [{ destination: 'x', nexthop: '10.7.0.1' }] },
      400,
      'InvalidInput',
    ],
    ['a pool of subnets', { subnetpool_id: randomUUID() }, 400, 'HTTPBadRequest'],
    ['router advertisements', { ipv6_ra_mode: 'slaac' }, 400, 'HTTPBadRequest'],
  ])('are refused for %s', async (_, fields, status, type) => {
    const { network } = await rack();
    const body = { subnet: { network_id: network.id, cidr: '10.7.0.0/24', ip_version: 4, ...fields } };
    expect(refusal(await call('POST', '/subnets', body))).toEqual([status, type]);
  });
});

describe('ports', () => {
  it('of members may be on shared networks', async () => {
    const { network, subnet } = await rack();
    const port = await make('port', { network_id: network.id, name: 'p', tags: ['x'] }, blue);
    expect(port).toMatchObject({
      ...{ network_id: network.id, project_id: 'blue', status: 'DOWN', device_id: '', tags: ['x'] },
      // 10.9.0.2 is our own.
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.9.0.3' }],
      mac_address: expect.stringMatching(/^fa:16:3e:/),
    });
    expect(port).not.toHaveProperty('binding:host_id');
    expect((await get(`/ports/${port.id}`)).body.port).toMatchObject({ 'binding:vif_type': 'unbound' });
    expect(refusal(await get(`/ports/${port.id}`, red))).toEqual([404, 'PortNotFound']);
    expect((await get('/ports', red)).body.ports).toEqual([]);
    expect(refusal(await remove(`/ports/${port.id}`, red))).toEqual([404, 'PortNotFound']);
    expect(
      refusal(await call('POST', '/ports', { port: { network_id: network.id } }, { as: reader('blue') })),
    ).toEqual([403, 'PolicyNotAuthorized']);
    const change = { name: 'q', fixed_ips: [{ ip_address: '10.9.0.9' }, { ip_address: '10.9.0.3' }] };
    expect((await call('PUT', `/ports/${port.id}`, { port: change }, blue)).body.port).toMatchObject({
      ...{ name: 'q', mac_address: port.mac_address },
      fixed_ips: [{ ip_address: '10.9.0.3' }, { ip_address: '10.9.0.9' }],
    });
    await call('PUT', `/ports/${port.id}`, { port: { fixed_ips: [{ subnet_id: subnet.id }] } }, blue);
    expect(await listAll(cloud.store.compute.ipAllocations, {})).toHaveLength(1);
  });

  it('are found by their attributes', async () => {
    const { network, subnet } = await rack();
    const ip = (address: string) => ({ network_id: network.id, fixed_ips: [{ ip_address: address }] });
    const one = await make('port', { ...ip('10.9.0.15'), device_id: 'd1' });
    await make('port', ip('10.9.0.25'));
    for (const query of [
      'fixed_ips=ip_address=10.9.0.15',
      `fixed_ips=subnet_id=${subnet.id}&fixed_ips=ip_address=10.9.0.15`,
      'fixed_ips=ip_address_substr=.15',
      'device_id=d1',
      `network_id=${network.id}&mac_address=${one.mac_address}`,
    ])
      expect((await get(`/ports?${query}`)).body.ports.map(({ id }: { id: string }) => id)).toEqual([one.id]);
    expect(refusal(await get('/ports?fixed_ips=x'))).toEqual([400, 'InvalidInput']);
    const [used] = (await get('/network-ip-availabilities')).body.network_ip_availabilities;
    expect(used).toMatchObject({ network_id: network.id, total_ips: 253, used_ips: 2 });
    expect((await get(`/network-ip-availabilities/${network.id}`)).status).toBe(200);
  });

  it.each([
    ['no network', { network_id: randomUUID() }, 404, 'NetworkNotFound'],
    ['an address elsewhere', { fixed_ips: [{ ip_address: '10.8.0.1' }] }, 400, 'InvalidIpForNetwork'],
    ['the broadcast address', { fixed_ips: [{ ip_address: '10.9.0.255' }] }, 400, 'InvalidIpForNetwork'],
    ["the router's address", { fixed_ips: [{ ip_address: '10.9.0.1' }] }, 409, 'IpAddressInUse'],
    ['our address', { fixed_ips: [{ ip_address: '10.9.0.2' }] }, 409, 'IpAddressInUse'],
    [
      'an address twice',
      { fixed_ips: [{ ip_address: '10.9.0.9' }, { ip_address: '10.9.0.9' }] },
      400,
      'HTTPBadRequest',
    ],
    ['a subnet elsewhere', { fixed_ips: [{ subnet_id: randomUUID() }] }, 400, 'InvalidInput'],
    ['a place that is none', { fixed_ips: [{}] }, 400, 'InvalidInput'],
    [
      'too many addresses',
      { fixed_ips: [4, 5, 6, 7, 8, 9].map((n) => ({ ip_address: `10.9.0.${n}` })) },
      400,
      'InvalidInput',
    ],
    ['a MAC that is none', { mac_address: 'ff:ff:ff:ff:ff:ff' }, 400, 'HTTPBadRequest'],
    ['filtering', { security_groups: [randomUUID()] }, 400, 'HTTPBadRequest'],
  ])('are refused for %s', async (_, fields, status, type) => {
    const { network } = await rack();
    const answer = await call('POST', '/ports', { port: { network_id: network.id, ...fields } });
    expect(refusal(answer)).toEqual([status, type]);
  });

  it('of members have no chosen MAC, no address outside the pools, and no attributes for administrators', async () => {
    const { network } = await rack();
    const subnet = { cidr: '10.5.0.0/24', allocation_pools: [{ start: '10.5.0.8', end: '10.5.0.9' }] };
    await make('subnet', { network_id: network.id, ...subnet });
    const own = await make('network', { project_id: 'blue' });
    await make('subnet', { network_id: own.id, ...subnet });
    const ask = async (fields: object, network_id = network.id) =>
      (await call('POST', '/ports', { port: { network_id, ...fields } }, blue)).status;
    const outside = { fixed_ips: [{ ip_address: '10.5.0.77' }] };
    expect(await ask({ mac_address: '52:54:00:00:00:01' })).toBe(403);
    expect(await ask({ 'binding:host_id': 'x' })).toBe(403);
    expect(await ask({ device_owner: 'network:dhcp' })).toBe(403);
    expect(await ask({ project_id: 'red' })).toBe(400);
    expect([await ask(outside), await ask(outside, own.id)]).toEqual([403, 201]);
    expect(await ask({ fixed_ips: [{ ip_address: '10.5.0.9' }] })).toBe(201);
    const external = await make('network', { 'router:external': true });
    expect(await ask({}, external.id)).toBe(403);
  });

  it('have unique MACs in a network, and a limited number', async () => {
    const { network } = await rack();
    const fields = { network_id: network.id, mac_address: '52-54-00-00-00-0A', fixed_ips: [] };
    expect((await make('port', fields)).mac_address).toBe('52:54:00:00:00:0a');
    expect(refusal(await call('POST', '/ports', { port: fields }))).toEqual([409, 'MacAddressInUse']);
    await cloud.store.transaction(async ({ compute }) => {
      for (let made = 0; made < PORT_QUOTA - 1; made += 1) {
        const { id: _id, createdAt: _at, updatedAt: _up, ...port } = networkPortOf({ projectId: 'blue' });
        await compute.networkPorts.create(
          { ...port, networkUuid: network.id, macAddress: `mac ${made}` },
          new Date(),
        );
      }
    });
    const two = { ports: [{ network_id: network.id }, { network_id: network.id }] };
    expect(refusal(await call('POST', '/ports', two, blue))).toEqual([409, 'OverQuota']);
    expect((await get('/ports', blue)).body.ports).toHaveLength(PORT_QUOTA - 1);
    expect((await call('POST', '/ports', two)).status).toBe(201);
    await make('port', { network_id: network.id }, blue);
  });

  it('of servers can be changed only by the compute API', async () => {
    const { network } = await rack();
    const { id: _id, createdAt: _at, updatedAt: _up, ...record } = serverOf({ projectId: 'blue' });
    const server = await cloud.store.compute.servers.create(record, new Date());
    const port = await make('port', { network_id: network.id }, blue);
    const put = (fields: object, as = blue) => call('PUT', `/ports/${port.id}`, { port: fields }, as);
    expect(refusal(await put({ device_id: server.uuid }))).toEqual([409, 'DeviceIDNotOwnedByTenant']);
    expect((await put({ device_id: 'router-1' })).status).toBe(200);
    const bound = { deviceId: server.uuid, nodePortUuid: randomUUID(), bindingHost: randomUUID() };
    await cloud.store.compute.networkPorts.update(port.id, bound, new Date());
    expect(refusal(await put({ device_id: '' }))).toEqual([409, 'PortInUse']);
    const mac = { mac_address: '52:54:00:00:00:01' };
    expect(refusal(await put(mac, { as: admin } as never))).toEqual([409, 'PortBound']);
    expect((await put({ name: 'still mine' })).body.port.name).toBe('still mine');
    expect(refusal(await remove(`/ports/${port.id}`, blue))).toEqual([409, 'ServicePortInUse']);
  });
});

it('answers invalid requests with 4xx', async () => {
  const { network, subnet } = await rack();
  const port = await make('port', { network_id: network.id });
  const targets = Object.entries({ network, subnet, port });
  const names = [
    'cidr',
    'fixed_ips',
    'allocation_pools',
    'host_routes',
    'mtu',
    'gateway_ip',
    'tags',
    'binding:profile',
  ];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('0.0.0.0/0', '::/0', '10.9.0.0/33', -1, 1e99, '\u0000', [{}], [[[]]], { start: null }),
  );
  const body = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...targets),
      body,
      fc.boolean(),
      async ([kind, { id }], fields, isNew) => {
        const fixed = kind === 'network' ? {} : { network_id: network.id };
        const answer = isNew
          ? await call('POST', `/${kind}s`, { [kind]: { ...fixed, ...fields } })
          : await call('PUT', `/${kind}s/${id}`, { [kind]: fields });
        expect(answer.status).toBeLessThan(500);
      },
    ),
    { numRuns: 150 },
  );
  const query = fc.array(
    fc.tuple(
      fc.constantFrom('fields', 'limit', 'marker', 'sort_key', 'fixed_ips', 'tags', 'name'),
      fc.string(),
    ),
  );
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      expect((await get(`/ports?${new URLSearchParams(pairs)}`)).status).toBeLessThan(500);
    }),
    { numRuns: 100 },
  );
});
