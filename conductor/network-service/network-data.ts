/**
 * `network_data.json` of a config drive: a server's interfaces and addresses in Nova's form. Pure.
 */
import type { Subnet } from '../domain/compute.ts';
import { netmaskOf, parsePrefix } from '../domain/ip-address.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { ServerAddress, ServerBond } from './server-networks.ts';

const DEFAULT_ROUTE = { 4: '0.0.0.0', 6: '::' } as const;

/**
 * `{links, networks, services}`. `servedCidr`: the network on which machines get their fixed address from our DHCP
 * server. On all other networks the address is written here, because no DHCP server knows it.
 */
export function networkDataOf(addresses: readonly ServerAddress[], servedCidr: string | null): JsonObject {
  const links: Json[] = [];
  const members: Json[] = [];
  const networks: Json[] = [];
  const services = new Map<string, JsonObject>();
  for (const { port, network, subnets, bond } of addresses) {
    const link = `tap${port.uuid.slice(0, 11)}`;
    links.push({
      id: link,
      vif_id: port.uuid,
      mtu: network.mtu,
      ethernet_mac_address: port.macAddress,
      ...(bond === undefined ? { type: 'phy' } : bonding(bond)),
    });
    for (const { portUuid, macAddress } of bond?.members ?? [])
      members.push({ id: portUuid, type: 'phy', ethernet_mac_address: macAddress });
    for (const { subnetId, ipAddress } of port.fixedIps) {
      const subnet = subnets.find(({ uuid }) => uuid === subnetId);
      if (subnet === undefined) continue;
      const place = { id: `network${networks.length}`, link, network_id: network.uuid };
      networks.push({ ...place, ...addressing(subnet, ipAddress, servedCidr) });
      for (const service of dnsOf(subnet)) services.set(service.address, service);
    }
  }
  // The members of bonds come last, so that the first link is the server's first interface.
  return { links: [...links, ...members], networks, services: [...services.values()] };
}

/** cloud-init expects the options with the prefix `bond_`. */
const bonding = ({ mode, properties, members }: ServerBond): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name.startsWith('bond') ? name : `bond_${name}`,
      value,
    ]),
  ),
  type: 'bond',
  bond_mode: mode,
  bond_links: members.map(({ portUuid }) => portUuid),
});

function addressing(subnet: Subnet, ipAddress: string, servedCidr: string | null): JsonObject {
  const { ipVersion: version, cidr, isDhcpEnabled, hostRoutes, gatewayIp } = subnet;
  // Our DHCP server announces only the default route.
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
