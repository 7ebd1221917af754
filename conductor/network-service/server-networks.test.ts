import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ADMIN,
  createTestNetworks,
  MEMBER,
  NOW,
  type TestNetworks,
} from '../../test/fakes/compute/test-networks.ts';
import type { Mac } from '../domain/boot.ts';
import type { Network, RequestedNetwork, Server, Subnet } from '../domain/compute.ts';
import { listAll } from '../domain/store/page.ts';
import { PORT_QUOTA } from './port-quota.ts';
import type { ServerAddress } from './server-networks.ts';

const DHCP = { cidr: '10.9.0.0/24', taken: ['10.9.0.7'], rangeStart: '10.9.0.2', rangeEnd: '10.9.0.20' };
let test: TestNetworks;
let rack: Network;
let subnet: Subnet;

beforeEach(async () => {
  test = await createTestNetworks(DHCP);
  rack = await test.network();
  subnet = await test.subnet(rack);
});
afterEach(() => test.close());

const ipsOf = (addresses: readonly ServerAddress[]): string[] =>
  addresses.flatMap(({ port }) => port.fixedIps.map(({ ipAddress }) => ipAddress));
const allocate = (server: Server, tenant = ADMIN) => test.networks.allocate(server, tenant);
const portsOf = () => listAll(test.store.compute.networkPorts, {});
const allocations = () => listAll(test.store.compute.ipAllocations, {});
/** Creates a port that belongs to no server. */
const existing = async (fields: object = {}) =>
  test.store.compute.networkPorts.create(
    {
      ...{ uuid: randomUUID(), networkUuid: rack.uuid, name: 'mine', description: '', projectId: 'default' },
      ...{ isAdminUp: true, status: 'DOWN', macAddress: 'fa:16:3e:01:01:01', fixedIps: [], dnsName: '' },
      ...{
        deviceId: '',
        deviceOwner: '',
        bindingHost: '',
        bindingProfile: {},
        vnicType: 'baremetal',
        tags: [],
      },
      ...fields,
    },
    NOW,
  );

describe("a server's networks", () => {
  it('a request that names none gets the only network, and the address stays the same', async () => {
    const server = await test.server({ projectId: 'blue', hostname: 'db-1' });
    const first = await allocate(server, MEMBER);
    expect(ipsOf(first)).toEqual(['10.9.0.2']);
    expect(first[0]).toMatchObject({
      network: { uuid: rack.uuid },
      subnets: [{ uuid: subnet.uuid }],
      port: {
        ...{ projectId: 'blue', deviceId: server.uuid, deviceOwner: 'compute:nova', dnsName: 'db-1' },
        ...{ isOwnedByServer: true, status: 'DOWN', nodePortUuid: null },
      },
    });
    expect(await allocate(server, MEMBER)).toEqual(first);
    expect(await test.networks.addressesOf(server.uuid)).toEqual(first);
  });

  it('a server has none when the request wants none or there is none', async () => {
    expect(await allocate(await test.server({ requestedNetworks: 'none' }))).toEqual([]);
    await test.store.compute.networks.update(rack.uuid, { isShared: false }, NOW);
    expect(await allocate(await test.server({ requestedNetworks: 'auto' }), MEMBER)).toEqual([]);
  });

  it('the request must name one when there are several', async () => {
    await test.network({ name: 'other' });
    await expect(test.networks.check('auto', ADMIN, 1)).rejects.toMatchObject({
      code: 'conflict',
      message: 'Multiple possible networks found, use a Network ID to be more specific.',
    });
  });

  it('200 allocations at once get 200 addresses', async () => {
    const servers = await Promise.all(Array.from({ length: 200 }, () => test.server()));
    const all = (await Promise.all(servers.map((server) => allocate(server)))).flatMap(ipsOf);
    expect([all.length, new Set(all).size, (await allocations()).length]).toEqual([200, 200, 200]);
    expect(all.every((address) => address !== '10.9.0.1')).toBe(true);
    const many = await test.networks.addressesOfAll(servers.map(({ uuid }) => uuid));
    expect([...many.values()].flatMap(ipsOf).sort()).toEqual(all.sort());
    await Promise.all(servers.map((server) => test.networks.release(server)));
    expect([await portsOf(), await allocations()]).toEqual([[], []]);
  });

  it('nothing is stored when no address is left', async () => {
    await test.store.compute.subnets.update(
      subnet.uuid,
      { allocationPools: [{ start: '10.9.0.2', end: '10.9.0.2' }] },
      NOW,
    );
    const one = { networkUuid: rack.uuid };
    const asking = allocate(await test.server({ requestedNetworks: [one, one] }));
    await expect(asking).rejects.toMatchObject({
      code: 'conflict',
      message: `No more IP addresses available on network ${rack.uuid}.`,
    });
    expect([await portsOf(), await allocations()]).toEqual([[], []]);
  });

  it('addresses that our DHCP server leased or found in use are not given out', async () => {
    const expiresAt = new Date(NOW.getTime() + 1000);
    await test.store.leases.put({ mac: '52:54:00:ff:00:01' as Mac, address: '10.9.0.2', expiresAt }, NOW);
    await test.store.leases.put(
      { mac: '52:54:00:ff:00:02' as Mac, address: '10.9.0.3', expiresAt: NOW },
      NOW,
    );
    await test.store.leases.decline({ address: '10.9.0.4', until: expiresAt }, NOW);
    const of = async (fixedIp?: string) =>
      ipsOf(
        await allocate(
          await test.server({ requestedNetworks: [{ networkUuid: rack.uuid, ...(fixedIp && { fixedIp }) }] }),
        ),
      );
    expect([await of(), await of(), await of(), await of()].flat()).toEqual([
      ...['10.9.0.3', '10.9.0.5', '10.9.0.6', '10.9.0.8'],
    ]);
    await expect(of('10.9.0.7')).rejects.toThrow('The IP address 10.9.0.7 is in use.');
    await expect(of('10.9.0.2')).rejects.toThrow('The IP address 10.9.0.2 is in use.');
    // A lease outside the DHCP range can only be of a former server.
    await test.store.leases.put({ mac: '52:54:00:ff:00:03' as Mac, address: '10.9.0.200', expiresAt }, NOW);
    expect(await of('10.9.0.200')).toEqual(['10.9.0.200']);
  });

  it('a port has an IPv4 and an IPv6 address', async () => {
    await test.subnet(rack, {
      ...{ ipVersion: 6, cidr: 'fd00::/64', gatewayIp: 'fd00::1' },
      allocationPools: [{ start: 'fd00::2', end: 'fd00::ffff' }],
    });
    expect(ipsOf(await allocate(await test.server()))).toEqual(['10.9.0.2', 'fd00::2']);
  });
});

describe('a request for networks', () => {
  it.each([
    ['no such network', { networkUuid: 'missing' }, 'Network missing could not be found.'],
    ['no such port', { portUuid: 'missing' }, 'Port id missing could not be found.'],
  ])('is refused for %s', async (_, wanted, message) => {
    await expect(test.networks.check([wanted], MEMBER, 1)).rejects.toMatchObject({
      code: 'invalidParameter',
      message,
    });
  });

  it.each([
    ['10.9.0.1', 'Fixed IP address 10.9.0.1 is already in use.'],
    ['10.9.0.255', 'Fixed IP 10.9.0.255 is not a valid ip address for network'],
    ['10.8.0.4', 'Fixed IP 10.8.0.4 is not a valid ip address for network'],
    ['ten', 'Fixed IP ten is not a valid ip address for network'],
  ])('is refused for the address %s', async (fixedIp, message) => {
    const wanted = [{ networkUuid: rack.uuid, fixedIp }];
    await expect(test.networks.check(wanted, ADMIN, 1)).rejects.toThrow(message);
  });

  it('treats networks and ports of other projects as not found', async () => {
    const hidden = await test.network({ isShared: false, projectId: 'red' });
    const port = await existing();
    const outside = await test.network({ isShared: false, isExternal: true });
    const check = (one: RequestedNetwork) => test.networks.check([one], MEMBER, 1);
    await expect(check({ networkUuid: hidden.uuid })).rejects.toThrow(
      `Network ${hidden.uuid} could not be found.`,
    );
    await expect(check({ portUuid: port.uuid })).rejects.toThrow(`Port id ${port.uuid} could not be found.`);
    await expect(check({ networkUuid: outside.uuid })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('needs a subnet, a port that no server has, and room in the quota', async () => {
    const bare = await test.network({ name: 'bare' });
    const port = await existing({ projectId: 'blue' });
    const check = (one: RequestedNetwork, count = 1) => test.networks.check([one], MEMBER, count);
    await expect(check({ networkUuid: bare.uuid })).rejects.toThrow('requires a subnet');
    await expect(check({ networkUuid: rack.uuid }, PORT_QUOTA)).rejects.toMatchObject({
      ...{ code: 'forbidden', message: 'Maximum number of ports exceeded' },
    });
    await check({ networkUuid: rack.uuid }, PORT_QUOTA - 1);
    const other = await test.server({ requestedNetworks: [{ portUuid: port.uuid }], projectId: 'blue' });
    await allocate(other, MEMBER);
    await expect(check({ portUuid: port.uuid })).rejects.toThrow(`Port ${port.uuid} is still in use.`);
  });
});

describe('binding to a node', () => {
  it('each network gets a port of the node and its MAC address, ports that boot from the network first', async () => {
    const cable = { switch_id: '00:11:22:33:44:55', port_id: 'e1' };
    const node = await test.node([{ pxeEnabled: false }, { localLinkConnection: cable }]);
    const server = await test.server({
      requestedNetworks: [{ networkUuid: rack.uuid }, { networkUuid: rack.uuid }],
    });
    await allocate(server);
    const bound = await test.networks.bind(server, node);
    expect(bound.map(({ port }) => port)).toMatchObject([
      {
        ...{ macAddress: '52:54:00:00:00:02', status: 'ACTIVE', bindingHost: node },
        bindingProfile: { local_link_information: [cable] },
      },
      { macAddress: '52:54:00:00:00:01', bindingProfile: { local_link_information: [] } },
    ]);
    expect(await test.networks.bind(server, node)).toEqual(bound);
  });

  it('prefers the physical network of the network, bonds, and the port with the requested MAC address', async () => {
    const node = await test.node([{ physicalNetwork: 'elsewhere' }, {}, {}, {}]);
    const ports = await listAll(test.store.ports, { nodeUuid: node });
    const bond = await test.store.portgroups.create(
      { uuid: randomUUID(), nodeUuid: node, mode: '802.3ad' },
      NOW,
    );
    for (const { uuid } of ports.slice(1, 3))
      await test.store.ports.update(uuid, { portgroupUuid: bond.uuid }, NOW);
    const asked = await existing({ macAddress: ports[3]!.address });
    const server = await test.server({
      requestedNetworks: [{ portUuid: asked.uuid }, { networkUuid: rack.uuid }],
    });
    await allocate(server);
    const bound = await test.networks.bind(server, node);
    expect(bound.map(({ port }) => port.nodePortUuid)).toEqual([ports[3]!.uuid, bond.uuid]);
    expect(bound[1]!.port.macAddress).toBe(ports[1]!.address);
  });

  it('names the missing port and binds nothing', async () => {
    const node = await test.node([{}, { physicalNetwork: 'elsewhere' }]);
    const server = await test.server({
      requestedNetworks: [{ networkUuid: rack.uuid }, { networkUuid: rack.uuid }],
    });
    await allocate(server);
    await expect(test.networks.bind(server, node)).rejects.toMatchObject({
      code: 'conflict',
      message: `Server ${server.uuid} asks for 2 network interfaces, and node ${node} has no port left for network rack on physical network rack: its ports are 52:54:00:00:00:02 on elsewhere, 52:54:00:00:00:01. Enroll the missing port with its MAC address, or ask for fewer networks.`,
    });
    expect((await portsOf()).map(({ status }) => status)).toEqual(['DOWN', 'DOWN']);
  });

  it('a server keeps its addresses when it is unbound and bound to another node', async () => {
    const [one, two] = [await test.node(), await test.node()];
    const server = await test.server();
    const [{ port }] = (await allocate(server)) as [ServerAddress];
    await test.networks.bind(server, one);
    await test.networks.unbind(server);
    expect((await portsOf())[0]).toMatchObject({
      ...{ status: 'DOWN', nodePortUuid: null, bindingHost: '', bindingProfile: {}, fixedIps: port.fixedIps },
      macAddress: expect.stringMatching(/^fa:16:3e:/),
    });
    const [moved] = await test.networks.bind(server, two);
    expect(moved!.port).toMatchObject({ bindingHost: two, macAddress: '52:54:00:00:00:02' });
    // The first node was lost without unbinding.
    expect((await test.networks.bind(server, one))[0]!.port.bindingHost).toBe(one);
  });

  it('after the release, a port that the user created is as it was before', async () => {
    const asked = await existing({ bindingProfile: { capabilities: [] } });
    const server = await test.server({ requestedNetworks: [{ portUuid: asked.uuid }] });
    await allocate(server);
    await test.networks.bind(server, await test.node());
    await test.networks.release(server);
    await test.networks.release(server);
    expect(await portsOf()).toMatchObject([
      {
        uuid: asked.uuid,
        deviceId: '',
        deviceOwner: '',
        status: 'DOWN',
        bindingProfile: { capabilities: [] },
      },
    ]);
  });
});

describe('interfaces of a running server', () => {
  it('can be attached and detached', async () => {
    const node = await test.node([{}, {}]);
    const server = await test.server({ nodeUuid: node });
    await allocate(server);
    await test.networks.bind(server, node);
    const port = await test.networks.attach(server, { networkUuid: rack.uuid, fixedIp: '10.9.0.77' }, ADMIN);
    expect(port).toMatchObject({ bindingHost: node, fixedIps: [{ ipAddress: '10.9.0.77' }] });
    // No port of the node is left: the attachment stores nothing.
    await expect(test.networks.attach(server, 'auto', ADMIN)).rejects.toThrow('no port left');
    expect(await portsOf()).toHaveLength(2);
    await test.networks.detach(server, port.uuid);
    expect((await test.networks.addressesOf(server.uuid)).map((one) => one.port.uuid)).not.toContain(
      port.uuid,
    );
    await expect(test.networks.detach(server, port.uuid)).rejects.toMatchObject({ code: 'notFound' });
    const given = await existing();
    expect(await test.networks.attach(server, { portUuid: given.uuid }, ADMIN)).toMatchObject({
      bindingHost: node,
    });
    await test.networks.detach(server, given.uuid);
    expect(await test.store.compute.networkPorts.find(given.uuid)).toMatchObject({
      deviceId: '',
      status: 'DOWN',
    });
  });

  it('cannot be attached when there is no network', async () => {
    await test.store.compute.networks.update(rack.uuid, { isShared: false }, NOW);
    await expect(test.networks.attach(await test.server(), 'auto', MEMBER)).rejects.toThrow(
      "No specific network was requested and none are available for project 'blue'.",
    );
  });
});

describe('network data', () => {
  it('lists the ports of the node that form a bond', async () => {
    const node = await test.node([{}, {}]);
    const ports = await listAll(test.store.ports, { nodeUuid: node });
    const bond = { uuid: randomUUID(), nodeUuid: node, mode: '802.3ad', properties: { miimon: 100 } };
    await test.store.portgroups.create(bond, NOW);
    for (const { uuid } of ports) await test.store.ports.update(uuid, { portgroupUuid: bond.uuid }, NOW);
    const server = await test.server();
    await allocate(server);
    const { links } = test.networks.networkDataOf(await test.networks.bind(server, node));
    const [first, second] = ports.map(({ uuid, address }) => ({
      ...{ id: uuid, type: 'phy', ethernet_mac_address: address },
    }));
    const link = {
      type: 'bond',
      ethernet_mac_address: ports[0]!.address,
      bond_links: ports.map((one) => one.uuid),
    };
    expect(links).toMatchObject([
      { ...link, bond_mode: '802.3ad', bond_miimon: 100, mtu: 1500 },
      first,
      second,
    ]);
  });

  it('names DHCP on the network that our DHCP server serves, and fixed addresses on others', async () => {
    const other = await test.network({ name: 'other', mtu: 9000 });
    const routes = [{ destination: '10.0.0.0/8', nexthop: '10.7.0.254' }];
    await test.subnet(other, {
      ...{ cidr: '10.7.0.0/25', gatewayIp: '10.7.0.1', hostRoutes: routes },
      allocationPools: [{ start: '10.7.0.9', end: '10.7.0.9' }],
    });
    await test.subnet(other, {
      ...{ ipVersion: 6, cidr: 'fd00::/64', gatewayIp: null, dnsNameservers: ['fd00::53'] },
      allocationPools: [{ start: 'fd00::2', end: 'fd00::ffff' }],
    });
    const server = await test.server({
      requestedNetworks: [{ networkUuid: rack.uuid }, { networkUuid: other.uuid }],
    });
    const addresses = await allocate(server);
    const [one, two] = addresses.map(({ port }) => port);
    const dns = { type: 'dns', address: '10.9.0.53' };
    const link = `tap${two!.uuid.slice(0, 11)}`;
    expect(test.networks.networkDataOf(addresses)).toEqual({
      links: [
        {
          ...{ id: `tap${one!.uuid.slice(0, 11)}`, vif_id: one!.uuid, type: 'phy', mtu: 1500 },
          ethernet_mac_address: one!.macAddress,
        },
        { id: link, vif_id: two!.uuid, type: 'phy', mtu: 9000, ethernet_mac_address: two!.macAddress },
      ],
      networks: [
        { id: 'network0', link: `tap${one!.uuid.slice(0, 11)}`, network_id: rack.uuid, type: 'ipv4_dhcp' },
        {
          ...{ id: 'network1', link, network_id: other.uuid, type: 'ipv4', ip_address: '10.7.0.9' },
          netmask: '255.255.255.128',
          routes: [
            { network: '0.0.0.0', netmask: '0.0.0.0', gateway: '10.7.0.1' },
            { network: '10.0.0.0', netmask: '255.0.0.0', gateway: '10.7.0.254' },
          ],
          services: [dns],
        },
        {
          ...{ id: 'network2', link, network_id: other.uuid, type: 'ipv6', ip_address: 'fd00::2' },
          ...{
            netmask: 'ffff:ffff:ffff:ffff::',
            routes: [],
            services: [{ type: 'dns', address: 'fd00::53' }],
          },
        },
      ],
      services: [dns, { type: 'dns', address: 'fd00::53' }],
    });
  });
});
