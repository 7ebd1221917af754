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
