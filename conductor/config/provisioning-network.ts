/**
 * The IPv4 network behind the provisioning interface.
 */
import type { NetworkInterfaceInfo } from 'node:os';

export interface ProvisioningNetwork {
  readonly interface: string;
  /** Ours on it, dotted. */
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

/** Addresses given out when the settings name none: from the tenth of the network to the last but one, ours left out by the caller. */
export function defaultRange({ address, netmask }: ProvisioningNetwork): {
  readonly start: string;
  readonly end: string;
} {
  const { base, size } = blockOf(address, netmask);
  return { start: dotted(base + Math.min(10, size - 2)), end: dotted(base + size - 2) };
}

function blockOf(address: string, netmask: string): { readonly base: number; readonly size: number } {
  const size = 2 ** 32 - number(netmask);
  return { base: Math.floor(number(address) / size) * size, size };
}

const number = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
