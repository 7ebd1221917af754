/** Address and credentials of a BMC, as driver-info.ts reads and checks them from a node's driver_info. */
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
  /** The BMC key K_g, 20 bytes; undefined if none is set on the BMC. */
  readonly kg?: Secret;
  readonly privilege: PrivilegeLevel;
  /** Tried in this order. */
  readonly cipherSuites: readonly CipherSuiteId[];
  /** Local address to send from. */
  readonly localAddress?: string;
  /** Tell the BMC to keep boot flags longer than 60 s (`ipmi_disable_boot_timeout`). */
  readonly disableBootTimeout: boolean;
  /** Set the boot device before each boot, because the BMC does not keep it (`ipmi_force_boot_device`). */
  readonly forceBootDevice: boolean;
}

/** `10.0.0.5:623`, `[fd00::5]:623`: the BMC's name in logs and errors. */
export function endpointOf(address: Pick<IpmiAddress, 'host' | 'port'>): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

/** Whether commands for `b` may use a session opened for `a`. */
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
