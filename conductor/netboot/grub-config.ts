/**
 * Configurations for GRUB, built from typed words as the iPXE scripts are.
 *
 * GRUB finds the first by itself, the same for every machine; in it GRUB asks for the second, which is its machine's,
 * with the MAC address that it knows. Everything comes by TFTP: the GRUB of distributions cannot do HTTP, or not on
 * another port than 80.
 */
import type { BootDecision, KernelParam, Mac } from '../domain/boot.ts';
import { commandLine } from './boot-script.ts';

const RETRY_SECONDS = 5;

/** Where the systems that people install put their loaders, shim before GRUB; last what every image has. */
const DISK_LOADERS = [
  ...['debian', 'ubuntu', 'redhat', 'centos', 'rocky', 'almalinux', 'fedora', 'opensuse', 'sles'].flatMap(
    (vendor) => [`/EFI/${vendor}/shimx64.efi`, `/EFI/${vendor}/grubx64.efi`],
  ),
  '/EFI/Microsoft/Boot/bootmgfw.efi',
  '/EFI/BOOT/BOOTX64.EFI',
];

export interface GrubPlace {
  /** Of the TFTP server, dotted. */
  readonly address: string;
  readonly mac: Mac;
}

/** Asks for the machine's own configuration until one of them boots something. */
export function grubEntry({ address }: Pick<GrubPlace, 'address'>): string {
  return lines([
    'while true; do',
    `  source (tftp,${address})/grub/machine/$net_default_mac.cfg`,
    `  echo 'Ingot: nothing was booted, asking again in ${RETRY_SECONDS} s'`,
    `  sleep ${RETRY_SECONDS}`,
    'done',
  ]);
}

/** What a machine does now. It comes to its end only when nothing could be booted. */
export function grubConfig(decision: BootDecision, place: GrubPlace): string {
  switch (decision.kind) {
    case 'ramdisk':
      return lines(ramdiskLines(decision.nodeUuid, decision.kernelParams, place));
    case 'disk':
      return lines(diskLines('this machine runs from its own disk'));
    case 'nothing':
      return lines(diskLines('there is nothing to boot for this machine now'));
    case 'unknown':
      return lines(diskLines('this machine is not known here'));
  }
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
/** Literal to GRUB. No word and no text of ours holds a quote. */
const quoted = (word: string): string => `'${word}'`;

function ramdiskLines(
  nodeUuid: string,
  params: readonly KernelParam[],
  { address, mac }: GrubPlace,
): string[] {
  const words = commandLine(params, mac);
  if (words === undefined) return diskLines('a kernel argument of this machine is not allowed');
  const base = `(tftp,${address})/boot/${nodeUuid}`;
  return [
    "echo 'Ingot: booting the deploy ramdisk'",
    `if linux ${base}/vmlinuz ${words.map(quoted).join(' ')}; then`,
    `  if initrd ${base}/ramdisk.img; then`,
    '    boot',
    '  fi',
    'fi',
  ];
}

/** GRUB's exit would end in the firmware's menu, so it starts the disk's loader itself. */
function diskLines(why: string): string[] {
  return [
    `echo ${quoted(`Ingot: ${why}`)}`,
    ...DISK_LOADERS.flatMap((path) => [
      `if search --no-floppy --file --set=root ${path}; then`,
      `  if chainloader ($root)${path}; then`,
      '    boot',
      '  fi',
      'fi',
    ]),
    'exit',
  ];
}
