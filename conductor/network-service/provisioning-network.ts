/**
 * The network that the conductor itself serves, as one for servers: made when there is no network yet, so that a first
 * server has somewhere to be.
 */
import { randomUUID } from 'node:crypto';
import type { Network } from '../domain/compute.ts';
import { formatPrefix, networkOf, parseAddress, parsePrefix, usable } from '../domain/ip-address.ts';
import { ALL_ROWS } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import { DEFAULT_PROJECT } from '../identity/tenant.ts';
import type { DhcpRange } from './addresses.ts';
import { gaps, type Pool, poolOf, type Range } from './allocation-pools.ts';

/** Of our DHCP: dotted IPv4, as it is told when it is made. */
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
/** Fewer addresses beside the range of DHCP are too few for servers. */
const ENOUGH = 32n;

/** What the network service must know of our DHCP; null when it gives no addresses. */
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
 * Makes the network `provisioning` with its subnet when there is no network at all; undefined when there is one, or when
 * addresses there are another DHCP server's to give: which ones are free only its operator knows. Without a `router`
 * servers on it reach no other network, as is right for a network of its own.
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
        description: 'The network that machines boot from',
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
 * Addresses for servers: beside the range of DHCP when there is room, else its upper half. There both keep away from
 * what the other has given, and machines without a server have the lower half to themselves.
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
