/**
 * Ports of the network service with their addresses, for the network API and for servers. Each call runs in the
 * caller's transaction.
 */
import { randomUUID } from 'node:crypto';
import type { Network, NetworkPort } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { RecordPatch } from '../domain/resources.ts';
import type { Store } from '../domain/store/store.ts';
import {
  type Allocating,
  type FixedIps,
  freeAddressesOf,
  takeAddresses,
  type WantedAddress,
} from './addresses.ts';
import { newMac } from './mac-address.ts';
import { refused } from './network-error.ts';

export type NewNetworkPort = Omit<
  RecordPatch<NetworkPort>,
  'networkUuid' | 'fixedIps' | 'macAddress' | 'projectId'
> & {
  readonly projectId: string;
  readonly macAddress?: string | undefined;
  readonly wanted?: readonly WantedAddress[] | undefined;
};

/** How often a new MAC address is generated when the generated one is in use. */
const MAC_TRIES = 16;
/** Neutron's limit. */
const MAX_FIXED_IPS = 5;

/** Throws NetworkError when an address or MAC address does not fit or is in use. */
export async function createNetworkPort(
  tx: Store,
  network: Network,
  { wanted, macAddress, ...fields }: NewNetworkPort,
  allocating: Allocating,
): Promise<NetworkPort> {
  checkCount(wanted);
  const uuid = randomUUID();
  const fixedIps = await takeAddresses(tx, network, uuid, wanted, allocating);
  const record = {
    name: '',
    description: '',
    isAdminUp: true,
    status: 'DOWN',
    deviceId: '',
    deviceOwner: '',
    dnsName: '',
    bindingHost: '',
    bindingProfile: {},
    vnicType: 'baremetal',
    nodePortUuid: null,
    isOwnedByServer: false,
    tags: [],
    ...fields,
    uuid,
    networkUuid: network.uuid,
    fixedIps,
  } as const;
  return withMac(network.uuid, macAddress, (mac) =>
    tx.compute.networkPorts.create({ ...record, macAddress: mac }, allocating.now),
  );
}

/** Writes with this MAC address, or with a generated one that the network does not have yet. */
export async function withMac<T>(
  networkUuid: string,
  mac: string | undefined,
  write: (mac: string) => Promise<T>,
): Promise<T> {
  for (let left = mac === undefined ? MAC_TRIES : 1; ; left -= 1) {
    const tried = mac ?? newMac();
    try {
      return await write(tried);
    } catch (error) {
      if (!(error instanceof IngotError) || error.code !== 'conflict') throw error;
      if (left <= 1) throw refused.macInUse(networkUuid, tried);
    }
  }
}

/** Keeps the addresses that stay, takes the new ones, then frees the rest. */
export async function changeAddresses(
  tx: Store,
  port: NetworkPort,
  network: Network,
  wanted: readonly WantedAddress[],
  allocating: Allocating,
): Promise<FixedIps> {
  checkCount(wanted);
  const stays = (one: WantedAddress) =>
    port.fixedIps.find(
      ({ subnetId, ipAddress }) =>
        ipAddress === one.ipAddress && (one.subnetId === undefined || one.subnetId === subnetId),
    );
  const kept = wanted.map(stays).filter((one) => one !== undefined);
  const added = wanted.filter((one) => stays(one) === undefined);
  const fixedIps = [...kept, ...(await takeAddresses(tx, network, port.uuid, added, allocating))];
  await freeAddressesOf(tx, port.uuid, fixedIps);
  return fixedIps;
}

export async function deleteNetworkPort(tx: Store, port: NetworkPort): Promise<void> {
  await freeAddressesOf(tx, port.uuid);
  await tx.compute.networkPorts.delete(port.uuid);
}

function checkCount(wanted: readonly WantedAddress[] | undefined): void {
  if ((wanted?.length ?? 0) > MAX_FIXED_IPS)
    throw refused.invalidInput('Exceeded maximum amount of fixed ips per port');
}
