/** Where a BMC is and how to log in to it: what a node's driver_info says, checked. Only driver-info.ts makes one from outside. */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import type { PrivilegeLevel } from '@ingot/shared/codec/ipmi/privilege-level.ts';
import type { Secret } from './secret.ts';

export interface IpmiAddress {
  /** Host name, IPv4 or IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** At most 16 bytes of UTF-8; empty for the null user. */
  readonly username: string;
  /** At most 20 bytes. */
  readonly password: Secret;
  /** K_g, 20 bytes; undefined if the BMC has no key of its own. */
  readonly kg?: Secret;
  readonly privilege: PrivilegeLevel;
  /** Tried in this order. */
  readonly cipherSuites: readonly CipherSuiteId[];
  /** Address of ours to send from. */
  readonly localAddress?: string;
  /** Tell the BMC to keep boot flags longer than 60 s (`ipmi_disable_boot_timeout`). */
  readonly disableBootTimeout: boolean;
  /** Boot device must be set before each boot, the BMC does not keep it (`ipmi_force_boot_device`). */
  readonly forceBootDevice: boolean;
}

/** `10.0.0.5:623`, `[fd00::5]:623`: how texts name the BMC. */
export function endpointOf(address: Pick<IpmiAddress, 'host' | 'port'>): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

/** Whether a session opened for `a` may carry commands of `b`. */
export function sameLogin(a: IpmiAddress, b: IpmiAddress): boolean {
  return (
    endpointOf(a) === endpointOf(b) &&
    a.username === b.username &&
    a.password.equals(b.password) &&
    (a.kg === undefined || b.kg === undefined ? a.kg === b.kg : a.kg.equals(b.kg)) &&
    a.privilege === b.privilege &&
    a.localAddress === b.localAddress &&
    a.cipherSuites.join() === b.cipherSuites.join()
  );
}
