/**
 * Rules for subnets: prefix, router, pools, name servers and routes must fit each other. Pure. Errors have Neutron's
 * texts.
 */
import { randomUUID } from 'node:crypto';
import type { Network, Subnet } from '../domain/compute.ts';
import {
  formatAddress,
  formatPrefix,
  holds,
  overlaps,
  type Prefix,
  parseAddress,
  parsePrefix,
  usable,
} from '../domain/ip-address.ts';
import type { NewRecord, RecordPatch } from '../domain/resources.ts';
import { checkPools, poolsWithout } from './allocation-pools.ts';
import { refused } from './network-error.ts';

type Wanted = Partial<Pick<Subnet, keyof Subnet>>;

/**
 * `values`: the values of a request, each already of its type; missing ones get defaults. `others`: the other subnets
 * of the network.
 */
export function newSubnet(
  values: Readonly<Record<string, unknown>>,
  network: Network,
  others: readonly Subnet[],
): NewRecord<Subnet> {
  const wanted = values as Wanted;
  const prefix = prefixOf(String(wanted.cidr), wanted.ipVersion);
  const cidr = formatPrefix(prefix);
  const other = others.find((one) => overlaps(prefix, prefixOf(one.cidr)));
  if (other !== undefined) {
    throw refused.invalidInput(
      `Requested subnet with cidr: ${cidr} for network: ${network.uuid} overlaps with another subnet: ${other.cidr} (${other.uuid})`,
    );
  }
  const gatewayIp =
    wanted.gatewayIp === undefined
      ? formatAddress({ version: prefix.version, value: usable(prefix).first })
      : wanted.gatewayIp;
  const router = gatewayIp === null ? [] : [parseAddress(gatewayIp)!.value];
  const subnet = {
    name: '',
    description: '',
    projectId: network.projectId,
    isDhcpEnabled: true,
    dnsNameservers: [],
    hostRoutes: [],
    tags: [],
    allocationPools: poolsWithout(prefix, router),
    ...wanted,
    uuid: randomUUID(),
    networkUuid: network.uuid,
    ipVersion: prefix.version,
    cidr,
    gatewayIp,
  };
  return { ...subnet, ...checked(subnet, prefix) };
}

/** The patch for an update. The prefix of a subnet can not change. */
export function changedSubnet(
  subnet: Subnet,
  values: Readonly<Record<string, unknown>>,
): RecordPatch<Subnet> {
  const patch = values as RecordPatch<Subnet>;
  return { ...patch, ...checked({ ...subnet, ...patch }, prefixOf(subnet.cidr)) };
}

/** The prefix with its host bits cleared. Throws when it is not of the requested IP version. */
function prefixOf(cidr: string, version?: number): Prefix {
  const prefix = parsePrefix(cidr);
  if (prefix === undefined || !cidr.includes('/'))
    throw refused.badRequest(`Invalid input for cidr. Reason: '${cidr}' is not a valid IP subnet.`);
  if (version !== undefined && version !== prefix.version)
    throw refused.invalidInput(`cidr '${cidr}' does not match the ip_version '${version}'`);
  return prefix;
}

const MULTICAST = ['224.0.0.0/4', 'ff00::/8'].map((text) => parsePrefix(text)!);
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((text) => parsePrefix(text)!);
const LINK_LOCAL = parsePrefix('fe80::/10')!;

type Fitting = Pick<
  Subnet,
  'cidr' | 'gatewayIp' | 'isDhcpEnabled' | 'allocationPools' | 'dnsNameservers' | 'hostRoutes'
>;

/** Checks all rules. Returns pools and routes in canonical form. */
function checked(subnet: Fitting, prefix: Prefix): Pick<Subnet, 'allocationPools' | 'hostRoutes'> {
  const { version, length } = prefix;
  if (MULTICAST.some((one) => overlaps(one, prefix)))
    throw refused.invalidInput('Multicast IP subnet is not supported');
  if (LOOPBACK.some((one) => overlaps(one, prefix)))
    throw refused.invalidInput('Loopback IP subnet is not supported');
  if (subnet.isDhcpEnabled && length > (version === 4 ? 30 : 126))
    throw refused.invalidInput('Subnet has a prefix length that is incompatible with DHCP service enabled');
  checkGateway(subnet.gatewayIp, prefix);
  for (const dns of subnet.dnsNameservers) checkVersion('dns_nameserver', dns, version);
  const hostRoutes = subnet.hostRoutes.map(({ destination, nexthop }) => {
    const target = parsePrefix(destination);
    if (target?.version !== version || parseAddress(nexthop)?.version !== version)
      throw refused.invalidInput(`Invalid route: ${destination.slice(0, 64)} by ${nexthop}`);
    return { destination: formatPrefix(target), nexthop };
  });
  const allocationPools = checkPools(subnet.allocationPools, prefix, subnet.cidr, subnet.gatewayIp);
  return { allocationPools, hostRoutes };
}

/** The gateway is a host address of the subnet. An IPv6 gateway may also be a link-local address (RFC 4861). */
function checkGateway(gatewayIp: string | null, prefix: Prefix): void {
  if (gatewayIp === null) return;
  checkVersion('gateway_ip', gatewayIp, prefix.version);
  const gateway = parseAddress(gatewayIp)!;
  const { first, last } = usable(prefix);
  const isInside = holds(prefix, gateway) && first <= gateway.value && gateway.value <= last;
  if (!isInside && !holds(LINK_LOCAL, gateway)) throw refused.invalidInput('Gateway is not valid on subnet');
}

function checkVersion(name: string, address: string, version: number): void {
  if (parseAddress(address)?.version !== version)
    throw refused.invalidInput(`${name} '${address}' does not match the ip_version '${version}'`);
}
