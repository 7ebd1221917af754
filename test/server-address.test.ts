/**
 * The address of a server, from its allocation to the machine: network service and DHCP on one store.
 */
import type { Mac } from '@ingot/conductor/domain/boot.ts';
import type { Server } from '@ingot/conductor/domain/compute.ts';
import { listAll } from '@ingot/conductor/domain/store/page.ts';
import { createBootDirectory } from '@ingot/conductor/drivers/boot-directory.ts';
import { createAddressPool } from '@ingot/conductor/netboot/address-pool.ts';
import { createDhcpHandler } from '@ingot/conductor/netboot/dhcp-handler.ts';
import { createFixedAddresses } from '@ingot/conductor/network-service/fixed-addresses.ts';
import {
  dhcpRangeOf,
  ensureProvisioningNetwork,
  type ServedNetwork,
  serverPools,
} from '@ingot/conductor/network-service/provisioning-network.ts';
import { decodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, messageType, Option } from '@ingot/shared/codec/dhcp/options.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, createTestNetworks, NOW, type TestNetworks } from './fakes/compute/test-networks.ts';
import { addressOption, dhcpRequest } from './fakes/netboot/dhcp-client.ts';
import { NO_TRUST_EVENTS } from './fakes/trust-events.ts';

const LEASE_MS = 3_600_000;
const SERVED: ServedNetwork = {
  mode: 'reservation',
  address: '10.9.0.1',
  netmask: '255.255.255.0',
  rangeStart: '10.9.0.10',
  rangeEnd: '10.9.0.13',
  router: '10.9.0.254',
  dns: ['10.9.0.53'],
};
const SECOND_MS = 1000;

let test: TestNetworks;
let clock: number;
let warnings: string[];

beforeEach(async () => {
  test = await createTestNetworks(dhcpRangeOf(SERVED));
  clock = NOW.getTime();
  warnings = [];
});
afterEach(() => test.close());

function dhcp() {
  const { store } = test;
  const now = () => new Date(clock);
  const fixedAddresses = createFixedAddresses(store, '10.9.0.0/24');
  const pool = createAddressPool({
    leases: store.leases,
    ...SERVED,
    taken: [SERVED.address],
    isReserved: (address) => fixedAddresses.isReserved(address),
    leaseMs: LEASE_MS,
    now,
  });
  const handle = createDhcpHandler({
    settings: {
      ...{ dhcpMode: 'reservation', address: SERVED.address, netmask: SERVED.netmask },
      ...{ dhcpRangeStart: SERVED.rangeStart, dhcpRangeEnd: SERVED.rangeEnd, dhcpLeaseMs: LEASE_MS },
      ...{ dhcpRouter: '10.9.0.250', dhcpDns: ['10.9.0.250'] },
      ...{ loaders: {}, httpBaseUrl: 'http://10.9.0.1:8089' },
    },
    directory: createBootDirectory({ store, trust: NO_TRUST_EVENTS, now }),
    pool,
    fixedAddresses,
    trace: { record: () => undefined },
    now,
    warn: (_, text) => void warnings.push(text),
  });
  const ask = async (type: keyof typeof MessageType, mac: string, address?: string) => {
    const options = address === undefined ? {} : { 50: addressOption(address) };
    return handle(dhcpRequest(type, { mac, options }), 'dhcp');
  };
  return {
    ask,
    offered: async (mac: string) => (await ask('discover', mac))?.yiaddr,
    isLent: async (mac: string, address: string) => {
      const reply = await ask('request', mac, address);
      return reply !== undefined && messageType(reply) === MessageType.ack;
    },
  };
}

/** Creates a server on a node of its own, whose first port has this MAC address. */
async function place(fields: Partial<Server> = {}, ports: Parameters<TestNetworks['node']>[0] = [{}]) {
  const server = await test.server(fields);
  await test.networks.allocate(server, ADMIN);
  const addresses = await test.networks.bind(server, await test.node(ports));
  return {
    server,
    macs: addresses.map(({ port }) => port.macAddress),
    ips: addresses.flatMap(({ port }) => port.fixedIps.map(({ ipAddress }) => ipAddress)),
  };
}
const machine = async (): Promise<string> => {
  const [port] = await listAll(test.store.ports, { nodeUuid: await test.node() });
  return port!.address;
};

describe('the network that the conductor serves', () => {
  it('is created as a network for servers at the first start only', async () => {
    const network = await ensureProvisioningNetwork(test.store, SERVED, NOW);
    expect(network).toMatchObject({ name: 'provisioning', isShared: true, networkType: 'flat' });
    expect(await ensureProvisioningNetwork(test.store, SERVED, NOW)).toBeUndefined();
    expect(await listAll(test.store.compute.subnets, {})).toMatchObject([
      { cidr: '10.9.0.0/24', gatewayIp: '10.9.0.254', isDhcpEnabled: true, dnsNameservers: ['10.9.0.53'] },
    ]);
  });

  it('is not created when another DHCP server leases addresses there', async () => {
    expect(await ensureProvisioningNetwork(test.store, { ...SERVED, mode: 'proxy' }, NOW)).toBeUndefined();
    expect(dhcpRangeOf({ ...SERVED, mode: 'off' })).toBeNull();
  });

  it.each([
    [
      '10.9.0.10',
      '10.9.0.13',
      '255.255.255.0',
      ['10.9.0.2-10.9.0.9', '10.9.0.14-10.9.0.52', '10.9.0.54-10.9.0.253'],
    ],
    ['10.9.0.10', '10.9.0.253', '255.255.255.0', ['10.9.0.132-10.9.0.253']],
    ['10.9.0.2', '10.9.0.2', '255.255.255.252', ['10.9.0.2-10.9.0.2']],
  ])('leaves %s to %s in %s to DHCP leases and %j to servers', (rangeStart, rangeEnd, netmask, pools) => {
    const found = serverPools({ ...SERVED, rangeStart, rangeEnd, netmask });
    expect(found.map(({ start, end }) => `${start}-${end}`)).toEqual(pools);
  });
});

describe("a server's machine", () => {
  beforeEach(() => ensureProvisioningNetwork(test.store, SERVED, NOW));

  it('gets the address of its server, with the router and name servers of the subnet', async () => {
    const { macs, ips } = await place();
    const { ask, isLent } = dhcp();
    const offer = await ask('discover', macs[0]!);
    expect([offer?.yiaddr, ips]).toEqual(['10.9.0.2', ['10.9.0.2']]);
    expect(decodeAddress(offer?.options.get(Option.router))).toBe('10.9.0.254');
    expect(decodeAddress(offer?.options.get(Option.dns))).toBe('10.9.0.53');
    expect(await isLent(macs[0]!, '10.9.0.2')).toBe(true);
    expect(await isLent(macs[0]!, '10.9.0.11')).toBe(false);
    const other = await ask('discover', await machine());
    expect([other?.yiaddr, decodeAddress(other?.options.get(Option.router))]).toEqual([
      '10.9.0.10',
      '10.9.0.250',
    ]);
    expect(warnings).toEqual([]);
  });

  it('gets one also on a port that does not boot from the network', async () => {
    const [network] = await listAll(test.store.compute.networks, {});
    const one = { networkUuid: network!.uuid };
    const { macs } = await place({ requestedNetworks: [one, one] }, [{}, { pxeEnabled: false }]);
    const { offered } = dhcp();
    expect([await offered(macs[0]!), await offered(macs[1]!)]).toEqual(['10.9.0.2', '10.9.0.3']);
  });

  it('keeps its lease until it boots again, and gets a leased address after the server was deleted', async () => {
    const node = await test.node();
    const [port] = await listAll(test.store.ports, { nodeUuid: node });
    const { offered, isLent } = dhcp();
    expect([await offered(port!.address), await isLent(port!.address, '10.9.0.10')]).toEqual([
      '10.9.0.10',
      true,
    ]);
    const server = await test.server();
    await test.networks.allocate(server, ADMIN);
    await test.networks.bind(server, node);
    expect(await isLent(port!.address, '10.9.0.10')).toBe(true);
    expect(await offered(port!.address)).toBe('10.9.0.2');
    expect([await isLent(port!.address, '10.9.0.2'), await isLent(port!.address, '10.9.0.10')]).toEqual([
      true,
      false,
    ]);
    await test.networks.release(server);
    expect(await isLent(port!.address, '10.9.0.2')).toBe(false);
    expect(await offered(port!.address)).toBe('10.9.0.10');
  });

  it('gets the address of a server that moved, with or without a lease', async () => {
    const first = await place();
    const { offered, isLent } = dhcp();
    await offered(first.macs[0]!);
    expect(await isLent(first.macs[0]!, '10.9.0.2')).toBe(true);
    await test.networks.unbind(first.server);
    const [moved] = await test.networks.bind(first.server, await test.node());
    expect(await offered(moved!.port.macAddress)).toBe('10.9.0.2');
    expect(await isLent(moved!.port.macAddress, '10.9.0.2')).toBe(true);
    expect(await isLent(first.macs[0]!, '10.9.0.2')).toBe(false);
  });

  it('keeps an address of the DHCP range when its server moves, and the next server can get it at once', async () => {
    const [network] = await listAll(test.store.compute.networks, {});
    const wanted = { requestedNetworks: [{ networkUuid: network!.uuid, fixedIp: '10.9.0.12' }] };
    const { offered, isLent } = dhcp();
    const hasIt = async (mac: string) => [await offered(mac), await isLent(mac, '10.9.0.12')];
    const first = await place(wanted);
    expect(await hasIt(first.macs[0]!)).toEqual(['10.9.0.12', true]);
    await test.networks.unbind(first.server);
    const [moved] = await test.networks.bind(first.server, await test.node());
    expect(await hasIt(moved!.port.macAddress)).toEqual(['10.9.0.12', true]);
    await test.networks.release(first.server);
    const next = await place(wanted);
    expect(await hasIt(next.macs[0]!)).toEqual(['10.9.0.12', true]);
    expect(warnings).toEqual([]);
  });

  it('gets another address while another machine uses its own', async () => {
    const { macs } = await place();
    const { ask, offered } = dhcp();
    await offered(macs[0]!);
    await ask('decline', macs[0]!, '10.9.0.2');
    expect(await offered(macs[0]!)).toBe('10.9.0.10');
    expect(warnings.at(-1)).toContain('the address of a server is leased to another machine');
    clock += 600 * SECOND_MS;
    expect(await offered(macs[0]!)).toBe('10.9.0.2');
  });

  it('is the only machine that gets a reserved address of the DHCP range', async () => {
    const [network] = await listAll(test.store.compute.networks, {});
    const wanted = { requestedNetworks: [{ networkUuid: network!.uuid, fixedIp: '10.9.0.10' }] };
    const { macs } = await place(wanted);
    const { offered, isLent } = dhcp();
    const others = [await machine(), await machine(), await machine(), await machine()];
    expect(await isLent(others[0]!, '10.9.0.10')).toBe(false);
    const got = [];
    for (const mac of others) got.push(await offered(mac));
    expect(got).toEqual(['10.9.0.11', '10.9.0.12', '10.9.0.13', undefined]);
    expect(await offered(macs[0]!)).toBe('10.9.0.10');
  });

  it('does not take an address from a machine that got it before the reservation', async () => {
    const { macs } = await place({}, [{}]);
    const { offered, isLent } = dhcp();
    const other = await machine();
    await offered(other);
    await isLent(other, '10.9.0.10');
    const [port] = await listAll(test.store.compute.networkPorts, { macAddress: macs[0]! as Mac });
    const subnetId = port!.fixedIps[0]!.subnetId;
    await test.store.compute.networkPorts.update(
      port!.uuid,
      { fixedIps: [{ subnetId, ipAddress: '10.9.0.10' }] },
      NOW,
    );
    expect(await offered(macs[0]!)).toBe('10.9.0.11');
    clock += 3600 * SECOND_MS;
    expect(await offered(macs[0]!)).toBe('10.9.0.10');
  });
});
