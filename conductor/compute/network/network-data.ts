/**
 * `network_data.json` of a config drive: a server's interfaces and addresses in Nova's form. Pure.
 */
import type { Subnet } from '../../domain/compute.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { netmaskOf, parsePrefix } from './ip-address.ts';
import type { ServerAddress } from './server-networks.ts';

const DEFAULT_ROUTE = { 4: '0.0.0.0', 6: '::' } as const;

/**
 * `{links, networks, services}`. `servedCidr`: the network whose machines get their fixed address by our DHCP; on every
 * other the address stands here, as nobody else knows it.
 */
export function networkDataOf(addresses: readonly ServerAddress[], servedCidr: string | null): JsonObject {
  const links: Json[] = [];
  const networks: Json[] = [];
  const services = new Map<string, JsonObject>();
  for (const { port, network, subnets } of addresses) {
    const link = `tap${port.uuid.slice(0, 11)}`;
    links.push({
      id: link,
      vif_id: port.uuid,
      type: 'phy',
      mtu: network.mtu,
      ethernet_mac_address: port.macAddress,
    });
    for (const { subnetId, ipAddress } of port.fixedIps) {
      const subnet = subnets.find(({ uuid }) => uuid === subnetId);
      if (subnet === undefined) continue;
      const place = { id: `network${networks.length}`, link, network_id: network.uuid };
      networks.push({ ...place, ...addressing(subnet, ipAddress, servedCidr) });
      for (const service of dnsOf(subnet)) services.set(service.address, service);
    }
  }
  return { links, networks, services: [...services.values()] };
}

function addressing(subnet: Subnet, ipAddress: string, servedCidr: string | null): JsonObject {
  const { ipVersion: version, cidr, isDhcpEnabled, hostRoutes, gatewayIp } = subnet;
  // Our DHCP tells no routes but the default one.
  if (isDhcpEnabled && cidr === servedCidr && hostRoutes.length === 0) return { type: `ipv${version}_dhcp` };
  const zero = DEFAULT_ROUTE[version];
  const gateway = gatewayIp === null ? [] : [{ network: zero, netmask: zero, gateway: gatewayIp }];
  return {
    type: `ipv${version}`,
    ip_address: ipAddress,
    netmask: maskOf(cidr),
    routes: [...gateway, ...hostRoutes.map(routeOf)],
    services: dnsOf(subnet),
  };
}

function routeOf({ destination, nexthop }: Subnet['hostRoutes'][number]) {
  return { network: destination.split('/')[0] ?? '', netmask: maskOf(destination), gateway: nexthop };
}

/** Prefixes are checked when they are stored. */
function maskOf(cidr: string): string {
  const prefix = parsePrefix(cidr);
  if (prefix === undefined) throw new Error(`stored subnet has no prefix: ${cidr}`);
  return netmaskOf(prefix);
}

const dnsOf = ({ dnsNameservers }: Subnet) => dnsNameservers.map((address) => ({ type: 'dns', address }));
