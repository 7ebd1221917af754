/**
 * Tables of the content of the ramdisk: Debian packages, the programs taken from them, kernel modules.
 *
 * To support another card, add its driver here. Dependencies are added automatically.
 */
export type Profile = 'full' | 'lab';

/** Program path in the unpacked packages -> the package it comes from. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  '/bin/busybox': 'busybox-static',
  '/bin/lsblk': 'util-linux',
  '/sbin/blkdiscard': 'util-linux',
  '/sbin/blockdev': 'util-linux',
  '/sbin/wipefs': 'util-linux',
  '/usr/bin/partx': 'util-linux',
  '/sbin/sfdisk': 'fdisk',
  '/sbin/sgdisk': 'gdisk',
  '/bin/efibootmgr': 'efibootmgr',
  '/usr/sbin/dmidecode': 'dmidecode',
  '/usr/bin/ipmitool': 'ipmitool',
  '/sbin/mdadm': 'mdadm',
  '/usr/sbin/nvme': 'nvme-cli',
  '/sbin/hdparm': 'hdparm',
  '/bin/kmod': 'kmod',
};

export const KERNEL_PACKAGE: Readonly<Record<Profile, string>> = {
  full: 'linux-image-amd64',
  lab: 'linux-image-amd64',
};

/**
 * Packages with the firmware of network cards, used if the host's apt has the component "non-free-firmware". Only files
 * that a module below names are added to the ramdisk. Without them bnx2x cards do not work, ice runs in its safe mode,
 * and a few tg3 and r8169 cards lack features.
 */
export const FIRMWARE_PACKAGES: Readonly<Record<Profile, readonly string[]>> = {
  full: ['firmware-bnx2x', 'firmware-misc-nonfree', 'firmware-realtek'],
  lab: [],
};

const VIRTUAL = ['virtio_pci', 'virtio_net', 'virtio_blk', 'virtio_scsi', 'virtio_rng', 'virtio_console'];
const FILE_SYSTEMS = ['ext4', 'vfat', 'nls_ascii', 'nls_cp437', 'nls_utf8', 'isofs', 'loop', 'efivarfs'];
const DISKS = ['sd_mod', 'sr_mod', 'sg', 'ahci', 'ata_piix', 'nvme'];
const CONSOLE = ['usbhid', 'hid_generic', 'xhci_pci', 'ehci_pci', 'uhci_hcd', 'ohci_pci', 'i8042', 'atkbd'];

const RAID_ADAPTERS = ['megaraid_sas', 'mpt3sas', 'aacraid', 'hpsa', 'smartpqi', 'mptspi', 'vmw_pvscsi'];
const NETWORK_CARDS = [
  'e1000',
  'e1000e',
  'igb',
  'igc',
  'ixgbe',
  'i40e',
  'ice',
  'bnx2x',
  'bnxt_en',
  'mlx4_en',
  'mlx5_core',
  'tg3',
  'r8169',
  'vmxnet3',
];
const MORE_STORAGE = ['usb_storage', 'uas', 'raid0', 'raid1', 'raid456', 'raid10', 'vmd'];
const PLATFORM = ['ipmi_si', 'ipmi_devintf', 'ipmi_ssif', '8021q', 'bonding', 'rtc_cmos'];

/** Names for modprobe. Modules that are built into the kernel may be listed too. */
export const MODULES: Readonly<Record<Profile, readonly string[]>> = {
  full: [
    ...VIRTUAL,
    ...FILE_SYSTEMS,
    ...DISKS,
    ...CONSOLE,
    ...RAID_ADAPTERS,
    ...NETWORK_CARDS,
    ...MORE_STORAGE,
    ...PLATFORM,
  ],
  lab: [...VIRTUAL, ...FILE_SYSTEMS, ...DISKS, 'e1000'],
};
