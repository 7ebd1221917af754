/**
 * Addresses for ports of the network service. Each allocation is a record, and a subnet and an address can occur
 * together in only one, so of many requests at once one gets the address. Everything here runs in the transaction
 * that writes the port.
 */
import { randomUUID } from 'node:crypto';
import type { Network, NetworkPort, Subnet } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import { formatAddress, holds, parseAddress, parsePrefix, usable } from '../domain/ip-address.ts';
import { listAll, type Page } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import { addressesAfter } from './allocation-pools.ts';
import { refused } from './network-error.ts';

const NEWEST: Page = { limit: 1, sortKey: 'id', sortDir: 'desc' };
/** After this many conflicts, read all allocated addresses of the subnet at once. */
const TRIES = 8;

/** The range from which our DHCP server leases addresses to machines without a network-service port. Dotted IPv4. */
export interface DhcpRange {
  /** The network that our DHCP server serves. */
  readonly cidr: string;
  /** Addresses on it that we, its router and its name servers use. */
  readonly taken: readonly string[];
  readonly rangeStart: string;
  readonly rangeEnd: string;
}

/** A subnet to take an address from, or one fixed address. */
export interface WantedAddress {
  readonly subnetId?: string;
  readonly ipAddress?: string;
}

export type FixedIps = NetworkPort['fixedIps'];

/** What allocation needs besides the store. */
export interface Allocating {
  readonly dhcp: DhcpRange | null;
  readonly now: Date;
}

/**
 * Takes addresses for a port. Without `wanted`: one of IPv4 and one of IPv6, if the network has subnets for them.
 * Throws NetworkError: 400 for an address that does not fit, 409 when the address is in use or none is left.
 */
export async function takeAddresses(
  tx: Store,
  network: Network,
  portUuid: string,
  wanted: readonly WantedAddress[] | undefined,
  { dhcp, now }: Allocating,
): Promise<FixedIps> {
  const subnets = await listAll(tx.compute.subnets, { networkUuid: network.uuid });
  const isLent = await lentAddresses(tx, now);

  const isInfrastructure = ({ gatewayIp, cidr }: Subnet, address: string): boolean =>
    address === gatewayIp || (cidr === dhcp?.cidr && dhcp.taken.includes(address));

  async function claim(subnet: Subnet, address: string): Promise<boolean> {
    try {
      await tx.compute.ipAllocations.create(
        { uuid: randomUUID(), subnetUuid: subnet.uuid, address, networkPortUuid: portUuid },
        now,
      );
      return true;
    } catch (error) {
      if (error instanceof IngotError && error.code === 'conflict') return false;
      throw error;
    }
  }

  /** From one subnet, starting after the address that was given out last. */
  async function takeFrom(subnet: Subnet): Promise<string | undefined> {
    const [newest] = await tx.compute.ipAllocations.list({ subnetUuid: subnet.uuid }, NEWEST);
    let taken: ReadonlySet<string> = new Set();
    let failed = 0;
    for (const address of addressesAfter(subnet, newest?.address)) {
      if (taken.has(address) || isInfrastructure(subnet, address) || (await isLent(address))) continue;
      if (await claim(subnet, address)) return address;
      failed += 1;
      if (failed !== TRIES) continue;
      const all = await listAll(tx.compute.ipAllocations, { subnetUuid: subnet.uuid });
      taken = new Set(all.map((one) => one.address));
    }
    return undefined;
  }

  /** The first free address in any of these subnets. */
  async function takeAny(among: readonly Subnet[]): Promise<FixedIps[number]> {
    for (const subnet of among) {
      const ipAddress = await takeFrom(subnet);
      if (ipAddress !== undefined) return { subnetId: subnet.uuid, ipAddress };
    }
    throw refused.noAddressLeft(network.uuid);
  }

  async function takeThis(text: string, subnetId: string | undefined): Promise<FixedIps[number]> {
    const { subnet, address } = placeOf(text, subnetsNamed(subnets, subnetId), subnetId);
    const isElsewhere = isInRange(dhcp, address) && (await isLent(address));
    if (isInfrastructure(subnet, address) || isElsewhere || !(await claim(subnet, address)))
      throw refused.addressInUse(network.uuid, address);
    return { subnetId: subnet.uuid, ipAddress: address };
  }

  if (wanted === undefined) {
    const families = [4, 6].map((version) => subnets.filter(({ ipVersion }) => ipVersion === version));
    const taken: FixedIps[number][] = [];
    for (const family of families) if (family.length > 0) taken.push(await takeAny(family));
    return taken;
  }
  const taken: FixedIps[number][] = [];
  for (const { subnetId, ipAddress } of wanted) {
    if (subnetId === undefined && ipAddress === undefined)
      throw refused.invalidInput('IP allocation requires subnet_id or ip_address');
    taken.push(
      ipAddress === undefined
        ? await takeAny(subnetsNamed(subnets, subnetId))
        : await takeThis(ipAddress, subnetId),
    );
  }
  return taken;
}

/** Frees the port's addresses. */
export async function freeAddressesOf(tx: Store, portUuid: string, except: FixedIps = []): Promise<void> {
  const keeps = new Set(except.map(({ subnetId, ipAddress }) => `${subnetId} ${ipAddress}`));
  for (const one of await listAll(tx.compute.ipAllocations, { networkPortUuid: portUuid })) {
    if (!keeps.has(`${one.subnetUuid} ${one.address}`)) await tx.compute.ipAllocations.delete(one.uuid);
  }
}

/** Throws when the network has no such subnet. */
function subnetsNamed(subnets: readonly Subnet[], subnetId: string | undefined): readonly Subnet[] {
  if (subnetId === undefined) return subnets;
  const named = subnets.filter(({ uuid }) => uuid === subnetId);
  if (named.length === 0) {
    throw refused.invalidInput(`Failed to create port: subnet ${subnetId} is not on the network of the port`);
  }
  return named;
}

/** The subnet of an address, and the address in canonical form. Throws when machines may not use the address. */
export function placeOf(
  text: string,
  subnets: readonly Subnet[],
  subnetId?: string,
): { readonly subnet: Subnet; readonly address: string } {
  const address = parseAddress(text);
  const fits = ({ cidr }: Subnet): boolean => {
    const prefix = parsePrefix(cidr);
    if (address === undefined || prefix === undefined || !holds(prefix, address)) return false;
    const { first, last } = usable(prefix);
    return first <= address.value && address.value <= last;
  };
  const subnet = subnets.find(fits);
  if (subnet === undefined || address === undefined)
    throw subnetId === undefined ? refused.addressNotOnNetwork(text) : refused.addressNotOnSubnet(text);
  return { subnet, address: formatAddress(address) };
}

/** Whether our DHCP server leased an address to a machine or found it in use. */
async function lentAddresses(tx: Store, now: Date): Promise<(address: string) => Promise<boolean>> {
  const declined = new Set((await tx.leases.declined(now)).map(({ address }) => address));
  return async (address) => {
    const lease = await tx.leases.byAddress(address);
    return declined.has(address) || (lease !== undefined && lease.expiresAt > now);
  };
}

function isInRange(dhcp: DhcpRange | null, address: string): boolean {
  if (dhcp === null) return false;
  const [first, last, value] = [dhcp.rangeStart, dhcp.rangeEnd, address].map(parseAddress);
  if (first === undefined || last === undefined || value?.version !== 4) return false;
  return first.value <= value.value && value.value <= last.value;
}
