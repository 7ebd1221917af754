/** Settings of DHCP: those that operators write, and what follows from the provisioning network. */
import type { Platform } from '@ingot/shared/codec/dhcp/architectures.ts';
import { DAY_SECONDS, type Settings, type SettingValues } from '../domain/setting.ts';

export const DHCP_SETTINGS = {
  dhcpMode: {
    name: 'dhcp.mode',
    type: 'choice',
    choices: ['reservation', 'proxy', 'off'],
    default: 'reservation',
    help: '`reservation`: addresses and boot files for known machines. `proxy`: only boot files, next to an existing DHCP server. `off`: no DHCP. Without `interface`, DHCP is off.',
  },
  dhcpRangeStart: {
    name: 'dhcp.range_start',
    type: 'ipv4',
    default: null,
    help: 'First address that DHCP leases. Unset: the tenth address of the network of `interface`, or the last one in a smaller network.',
  },
  dhcpRangeEnd: {
    name: 'dhcp.range_end',
    type: 'ipv4',
    default: null,
    help: 'Last address that DHCP leases. Unset: the last but one of the network of `interface`.',
  },
  dhcpRouter: {
    name: 'dhcp.router',
    type: 'ipv4',
    default: null,
    help: 'Default router that DHCP announces. Unset: none.',
  },
  dhcpDns: {
    name: 'dhcp.dns',
    type: 'list',
    default: [],
    help: 'IPv4 addresses of the DNS servers that DHCP announces.',
  },
  dhcpLeaseMs: {
    name: 'dhcp.lease_seconds',
    type: 'integer',
    default: 3600,
    min: 120,
    max: 7 * DAY_SECONDS,
    unit: 'seconds',
    help: 'Duration of a DHCP lease.',
  },
} as const satisfies Settings;

export interface DhcpSettings extends SettingValues<typeof DHCP_SETTINGS> {
  /** Our own IPv4 address on the provisioning network. */
  readonly address: string;
  readonly netmask: string;
  readonly dhcpRangeStart: string;
  readonly dhcpRangeEnd: string;
  /** Network boot programs in the TFTP root by platform; null or missing if there is none. */
  readonly loaders: Readonly<Partial<Record<Platform, string | null>>>;
  /** `http://10.0.0.1:8089`. */
  readonly httpBaseUrl: string;
}
