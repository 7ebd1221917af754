/**
 * The IPv4 network behind the provisioning interface.
 */
import type { NetworkInterfaceInfo } from 'node:os';
import { formatAddress, networkOf } from '../domain/ip-address.ts';

export interface ProvisioningNetwork {
  readonly interface: string;
  /** Our own IPv4 address on it. */
  readonly address: string;
  readonly netmask: string;
}

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** The first IPv4 address of the interface, or why there is none. */
export function provisioningNetwork(name: string, interfaces: Interfaces): ProvisioningNetwork | string {
  const found = interfaces[name]?.find(({ family }) => family === 'IPv4');
  if (found !== undefined) return { interface: name, address: found.address, netmask: found.netmask };
  if (interfaces[name] !== undefined) return `interface "${name}" has no IPv4 address`;
  return `there is no interface "${name}" that is up with an address; there are ${Object.keys(interfaces).join(', ')}`;
}

/** The default DHCP range: from the tenth address of the network to the last one before the broadcast address. */
export function defaultRange(network: ProvisioningNetwork): { readonly start: string; readonly end: string } {
  const { first, last } = networkOf(network);
  const tenth = first + 10n < last ? first + 10n : last - 1n;
  const format = (value: bigint): string => formatAddress({ version: 4, value });
  return { start: format(tenth), end: format(last - 1n) };
}
