/**
 * Contents of the test operating system: Debian packages for its userland and kernel, and the paths of programs.
 * Small, because an emulated machine hashes and writes it.
 */

/** Unpacked with their dependencies, without maintainer scripts. */
export const PACKAGES = [
  'base-files',
  'bash',
  'coreutils',
  'util-linux',
  'mount',
  'hostname',
  'login',
  'passwd',
  'busybox-static',
  'jq',
  'kmod',
  'iproute2',
] as const;

export const KERNEL_META = 'linux-image-cloud-amd64';

/** Needed to find and mount the root file system and the config drive. */
export const INITRAMFS_MODULES = ['virtio_pci', 'virtio_blk', 'ext4', 'nvme'] as const;
export const ROOT_MODULES = ['virtio_net', 'isofs', 'vfat', 'nls_ascii', 'nls_cp437', 'virtio_rng'] as const;

/** Directories with documentation and other files that are not needed. */
export const LEFT_OUT = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'usr/share/i18n',
  'usr/share/zoneinfo',
  'usr/lib/x86_64-linux-gnu/gconv',
  'usr/share/perl5',
  'usr/share/perl',
  'usr/lib/x86_64-linux-gnu/perl-base',
  'usr/lib/x86_64-linux-gnu/perl',
  'usr/share/bash-completion',
  'usr/share/lintian',
] as const;
