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
    help: 'TCP port of the HTTP server for booting machines: boot scripts, kernel and ramdisk, images, and the API of the ramdisk.',
  },
  ramdiskDir: {
    name: 'boot.ramdisk_dir',
    type: 'path',
    default: null,
    flag: '--ramdisk <dir>',
    help: 'Directory with `vmlinuz` and `ramdisk.img`, as `ingot ramdisk build` makes them. Unset: `ramdisk` in the data directory.',
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
    help: 'UDP port of TFTP. Firmware knows no other than 69.',
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
    help: 'Network boot program for machines with a 32-bit x86 UEFI, a file in `tftp.root`. Unset: they get an address only.',
  },
  uefiArm64Loader: {
    name: 'tftp.uefi_arm64_loader',
    type: 'text',
    default: null,
    help: 'Network boot program for 64-bit ARM UEFI machines, a file in `tftp.root`; `boot.ramdisk_dir` must hold a kernel for them. Unset: they get an address only.',
  },
  dhcpMode: {
    name: 'dhcp.mode',
    type: 'choice',
    choices: ['reservation', 'proxy', 'off'],
    default: 'reservation',
    help: '`reservation`: addresses and boot files for known machines. `proxy`: boot files only, next to the DHCP server that is there. `off`: neither. Without `interface` it is off.',
  },
  dhcpRangeStart: {
    name: 'dhcp.range_start',
    type: 'ipv4',
    default: null,
    help: 'First address given out. Unset: the tenth of the network of `interface`, or what it has.',
  },
  dhcpRangeEnd: {
    name: 'dhcp.range_end',
    type: 'ipv4',
    default: null,
    help: 'Last address given out. Unset: the last but one of the network of `interface`.',
  },
  dhcpRouter: {
    name: 'dhcp.router',
    type: 'ipv4',
    default: null,
    help: 'Default router told to machines. Unset: none.',
  },
  dhcpDns: {
    name: 'dhcp.dns',
    type: 'list',
    default: [],
    help: 'DNS servers told to machines, IPv4 addresses.',
  },
  dhcpLeaseMs: {
    name: 'dhcp.lease_seconds',
    type: 'integer',
    default: 3600,
    min: 120,
    max: 7 * DAY_SECONDS,
    unit: 'seconds',
    help: 'How long an address is lent.',
  },
} as const satisfies Settings;
