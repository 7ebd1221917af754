/**
 * Settings of network boot: HTTP, TFTP and DHCP.
 */
import type { Settings } from '../domain/setting.ts';
import { DHCP_SETTINGS } from './dhcp-settings.ts';

export const NETBOOT_SETTINGS = {
  bootPort: {
    name: 'boot.port',
    type: 'integer',
    default: 8089,
    min: 1,
    max: 65_535,
    help: 'TCP port of the HTTP server on the provisioning network: boot scripts, kernel and ramdisk, images, and the API for the ramdisk.',
  },
  bootTlsPort: {
    name: 'boot.tls_port',
    type: 'integer',
    default: 8090,
    min: 1,
    max: 65_535,
    help: 'TCP port of the HTTPS server on the provisioning network: the API for our own agent, and images.',
  },
  bootTransfers: {
    name: 'boot.transfers',
    type: 'integer',
    default: 512,
    min: 1,
    max: 10_000,
    unit: 'transfers',
    help: 'Number of files (kernel, ramdisk, boot programs, images) that the HTTP and HTTPS servers on the provisioning network send at the same time. Further requests get 503 and are repeated by machines. Each transfer may need 0.3 MiB of memory.',
  },
  bootTransfersPerAddress: {
    name: 'boot.transfers_per_address',
    type: 'integer',
    default: 16,
    min: 1,
    max: 10_000,
    unit: 'transfers',
    help: 'How many of these transfers one address may have. Raise it if many machines share an address, for example a rack behind NAT.',
  },
  bootStallMs: {
    name: 'boot.stall_seconds',
    type: 'integer',
    default: 60,
    min: 1,
    max: 3600,
    unit: 'seconds',
    help: 'A connection on the provisioning network without any progress for this time is closed.',
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
  tftpNetworks: {
    name: 'tftp.networks',
    type: 'networks',
    default: [],
    help: 'Networks (`10.5.0.0/16`) that TFTP serves besides that of `interface`, for example behind a DHCP relay. Requests from others get no answer.',
  },
  tftpTransfersPerAddress: {
    name: 'tftp.transfers_per_address',
    type: 'integer',
    default: 8,
    min: 1,
    max: 1000,
    unit: 'transfers',
    help: 'Number of TFTP transfers that one address may have at the same time. Raise it if machines share an address.',
  },
  tftpPlainRequests: {
    name: 'tftp.plain_requests',
    type: 'flag',
    default: false,
    help: 'Serve TFTP requests without options (blksize, tsize). Their first answer has 516 bytes and goes to the source of the request, which can be forged. Firmware sends options; some old or minimal clients do not.',
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
  ...DHCP_SETTINGS,
} as const satisfies Settings;
