/** Settings of the DHCP service: the network it serves and the values it gives to machines. */
import type { Platform } from '@ingot/shared/codec/dhcp/architectures.ts';

export interface DhcpSettings {
  readonly mode: 'reservation' | 'proxy' | 'off';
  /** Our own IPv4 address on the provisioning network. */
  readonly address: string;
  readonly netmask: string;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  readonly router: string | null;
  readonly dns: readonly string[];
  readonly leaseSeconds: number;
  /** Network boot programs in the TFTP root by platform; null or missing if there is none. */
  readonly loaders: Readonly<Partial<Record<Platform, string | null>>>;
  /** `http://10.0.0.1:8089`. */
  readonly httpBaseUrl: string;
}
