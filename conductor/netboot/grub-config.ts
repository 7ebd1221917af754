/**
 * Builds GRUB configurations from checked words, as boot-script.ts does for iPXE.
 *
 * GRUB loads a first configuration, which is the same for every machine. It makes GRUB load a second one, for the
 * machine's MAC address. Everything is loaded by TFTP, because the GRUB of distributions supports HTTP on port 80 only
 * or not at all.
 */
import type { KernelParam, Mac, ScriptDecision } from '../domain/boot.ts';
import { commandLine } from './boot-script.ts';

const RETRY_SECONDS = 5;

/** The paths of the boot loaders of common systems, shim before GRUB. The fallback path is last. */
const DISK_LOADERS = [
  ...['debian', 'ubuntu', 'redhat', 'centos', 'rocky', 'almalinux', 'fedora', 'opensuse', 'sles'].flatMap(
    (vendor) => [`/EFI/${vendor}/shimx64.efi`, `/EFI/${vendor}/grubx64.efi`],
  ),
  '/EFI/Microsoft/Boot/bootmgfw.efi',
  '/EFI/BOOT/BOOTX64.EFI',
];

export interface GrubTarget {
  /** IPv4 address of the TFTP server. */
  readonly address: string;
  readonly mac: Mac;
}

/** Loads the machine's own configuration repeatedly until one boots. */
export function grubEntry({ address }: Pick<GrubTarget, 'address'>): string {
  return lines([
    'while true; do',
    `  source (tftp,${address})/grub/machine/$net_default_mac.cfg`,
    `  echo 'Ingot: nothing was booted, asking again in ${RETRY_SECONDS} s'`,
    `  sleep ${RETRY_SECONDS}`,
    'done',
  ]);
}

/** The configuration for one machine. It returns only if nothing could be booted. */
export function grubConfig(decision: ScriptDecision, place: GrubTarget): string {
  switch (decision.kind) {
    case 'ramdisk':
      return lines(ramdiskLines(decision.nodeUuid, decision.kernelParams, place));
    case 'disk':
      return lines(diskLines('this machine runs from its own disk'));
    case 'nothing':
      return lines(diskLines('there is nothing to boot for this machine now'));
    case 'unknown':
      return lines(diskLines('this machine is not known here'));
    case 'refused':
      return lines(["echo 'Ingot: refused, see the history of the node'", 'sleep 10', 'halt']);
  }
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
/** A literal word for GRUB. No checked word contains a quote. */
const quoted = (word: string): string => `'${word}'`;

function ramdiskLines(
  nodeUuid: string,
  params: readonly KernelParam[],
  { address, mac }: GrubTarget,
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

/** Starts the disk's boot loader directly, because exit would lead to the firmware's menu. */
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
