/**
 * Settings of network boot: HTTP, TFTP and DHCP.
 */
import { DAY_SECONDS, type Settings } from '../domain/setting.ts';

export const NETBOOT_SETTINGS = {
  bootPort: {
    name: 'boot.port',
    type: 'integer',
    default: 8089,
    min: 1,
    max: 65_535,
    help: 'TCP port of the HTTP server on the provisioning network: boot scripts, kernel and ramdisk, images, and the API for the ramdisk.',
  },
  ramdiskDir: {
    name: 'boot.ramdisk_dir',
    type: 'path',
    default: null,
    flag: '--ramdisk <dir>',
    help: 'Directory with the `vmlinuz` and `ramdisk.img` that `ingot ramdisk build` creates. Unset: `ramdisk` in the data directory.',
  },
  tftpRoot: {
    name: 'tftp.root',
    type: 'path',
    default: '/usr/lib/ipxe',
    help: 'Directory with the network boot programs that TFTP serves.',
  },
  tftpPort: {
    name: 'tftp.port',
    type: 'integer',
    default: 69,
    min: 1,
    max: 65_535,
    help: 'UDP port of TFTP. Firmware supports only 69.',
  },
  biosLoader: {
    name: 'tftp.bios_loader',
    type: 'text',
    default: 'undionly.kpxe',
    help: 'Network boot program for BIOS machines, a file in `tftp.root`.',
  },
  uefiLoader: {
    name: 'tftp.uefi_loader',
    type: 'text',
    default: 'snponly.efi',
    help: 'Network boot program for 64-bit x86 UEFI machines, a file in `tftp.root`.',
  },
  uefiIa32Loader: {
    name: 'tftp.uefi_ia32_loader',
    type: 'text',
    default: null,
    help: 'Network boot program for machines with 32-bit x86 UEFI, a file in `tftp.root`. Unset: they get only an address.',
  },
  uefiArm64Loader: {
    name: 'tftp.uefi_arm64_loader',
    type: 'text',
    default: null,
    help: 'Network boot program for 64-bit ARM UEFI machines, a file in `tftp.root`; `boot.ramdisk_dir` must contain a kernel for them. Unset: they get only an address.',
  },
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
