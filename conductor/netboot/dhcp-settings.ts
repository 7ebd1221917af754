/** What the DHCP service is told when it is made: the network it serves and what machines are told of it. */
import type { Platform } from '@ingot/shared/codec/dhcp/architectures.ts';

export interface DhcpSettings {
  readonly mode: 'reservation' | 'proxy' | 'off';
  /** Ours on the provisioning network, dotted. */
  readonly address: string;
  readonly netmask: string;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  readonly router: string | null;
  readonly dns: readonly string[];
  readonly leaseSeconds: number;
  /** Network boot programs, files of TFTP's root; null or missing where there is none. */
  readonly loaders: Readonly<Partial<Record<Platform, string | null>>>;
  /** `http://10.0.0.1:8089`. */
  readonly httpBaseUrl: string;
}
