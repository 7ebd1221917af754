/**
 * The network that the conductor itself serves, as a network of the network service. It is created when there is no
 * network yet, so that a first server has a network.
 */
import { randomUUID } from 'node:crypto';
import type { Network } from '../domain/compute.ts';
import { formatPrefix, networkOf, parseAddress, parsePrefix, usable } from '../domain/ip-address.ts';
import { ALL_ROWS } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import { DEFAULT_PROJECT } from '../identity/tenant.ts';
import type { DhcpRange } from './addresses.ts';
import { gaps, type Pool, poolOf, type Range } from './allocation-pools.ts';

/** What our DHCP server serves, in dotted IPv4. */
export interface ServedNetwork {
  readonly mode: 'reservation' | 'proxy' | 'off';
  readonly address: string;
  readonly netmask: string;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  readonly router: string | null;
  readonly dns: readonly string[];
}

const NAME = 'provisioning';
/** If there are fewer addresses outside the DHCP range, servers share the range. */
const ENOUGH = 32n;

/** The DHCP range that the network service must respect; null when our DHCP server leases no addresses. */
export const dhcpRangeOf = (served: ServedNetwork): DhcpRange | null =>
  served.mode !== 'reservation'
    ? null
    : {
        cidr: cidrOf(served),
        taken: takenBy(served),
        rangeStart: served.rangeStart,
        rangeEnd: served.rangeEnd,
      };

/** `10.0.0.0/24`. */
export const cidrOf = (served: Pick<ServedNetwork, 'address' | 'netmask'>): string =>
  formatPrefix(networkOf(served));

const takenBy = ({ address, router, dns }: ServedNetwork): string[] => [
  address,
  ...(router === null ? [] : [router]),
  ...dns,
];

/**
 * Creates the network `provisioning` with its subnet when there is no network at all. Returns undefined when there is
 * one, or when another DHCP server leases addresses there: only its operator knows which ones are free. Without a
 * `router`, servers on the network reach no other network.
 */
export async function ensureProvisioningNetwork(
  store: Store,
  served: ServedNetwork,
  now: Date,
): Promise<Network | undefined> {
  if (served.mode !== 'reservation') return undefined;
  return store.transaction(async ({ compute }) => {
    if ((await compute.networks.list({}, { ...ALL_ROWS, limit: 1 })).length > 0) return undefined;
    const kept = { name: NAME, projectId: DEFAULT_PROJECT, tags: [] };
    const network = await compute.networks.create(
      {
        ...kept,
        uuid: randomUUID(),
        description: 'The network from which machines boot',
        isShared: true,
        isExternal: false,
        isAdminUp: true,
        isDefault: true,
        mtu: 1500,
        networkType: 'flat',
        physicalNetwork: null,
        segmentationId: null,
      },
      now,
    );
    await compute.subnets.create(
      {
        ...kept,
        uuid: randomUUID(),
        networkUuid: network.uuid,
        description: '',
        ipVersion: 4,
        cidr: cidrOf(served),
        gatewayIp: served.router,
        isDhcpEnabled: true,
        allocationPools: serverPools(served),
        dnsNameservers: served.dns,
        hostRoutes: [],
      },
      now,
    );
    return network;
  });
}

/**
 * Address pools for servers: outside the DHCP range when there is room, else the upper half of the range. In that
 * half, servers and leases avoid each other's addresses; the lower half is only for machines without a server.
 */
export function serverPools(served: ServedNetwork): Pool[] {
  const prefix = parsePrefix(cidrOf(served))!;
  const number = (address: string): bigint => parseAddress(address)!.value;
  const taken = takenBy(served)
    .map(number)
    .map((value) => ({ first: value, last: value }));
  const range = { first: number(served.rangeStart), last: number(served.rangeEnd) };
  const beside = gaps(usable(prefix), [...taken, range]);
  const upper = { first: (range.first + range.last) / 2n + 1n, last: range.last };
  const chosen = sizeOf(beside) >= ENOUGH ? beside : gaps(upper, taken);
  return (chosen.length > 0 ? chosen : gaps(usable(prefix), taken)).map((one) => poolOf(one, 4));
}

const sizeOf = (ranges: readonly Range[]): bigint =>
  ranges.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
