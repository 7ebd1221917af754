/**
 * Builds iPXE scripts from checked words, so that user input cannot add script lines.
 */
import { type KernelParam, type Mac, parseKernelParam, type ScriptDecision } from '../domain/boot.ts';
import { scriptUrl } from './dhcp-boot-options.ts';

const RETRY_SECONDS = 5;

export interface ScriptTarget {
  /** Base URL of the boot server. */
  readonly httpBaseUrl: string;
  readonly mac: Mac;
}

/** The iPXE script for a boot decision. Every script ends in a boot, a retry or an exit, never at a prompt. */
export function bootScript(decision: ScriptDecision, place: ScriptTarget): string {
  switch (decision.kind) {
    case 'ramdisk':
      return lines(ramdiskScript(decision.nodeUuid, decision.kernelParams, place));
    case 'disk':
      return lines(diskScript('this machine runs from its own disk'));
    case 'nothing':
      return lines(diskScript('there is nothing to boot for this machine now'));
    case 'unknown':
      return lines(diskScript('this machine is not known here'));
    case 'refused':
      return lines(refusedScript());
  }
}

const lines = (all: readonly string[]): string => `${['#!ipxe', ...all].join('\n')}\n`;

function ramdiskScript(nodeUuid: string, params: readonly KernelParam[], place: ScriptTarget): string[] {
  const base = `${place.httpBaseUrl}/boot/${nodeUuid}`;
  const words = commandLine(params, place.mac);
  if (words === undefined) return diskScript('a kernel argument of this machine is not allowed');
  return [
    'echo Ingot: booting the deploy ramdisk',
    'imgfree',
    `kernel ${base}/vmlinuz initrd=ramdisk.img ${words.join(' ')} || goto failed`,
    `initrd --name ramdisk.img ${base}/ramdisk.img || goto failed`,
    'boot || goto failed',
    ':failed',
    `echo Ingot: the boot failed, asking again in ${RETRY_SECONDS} s`,
    `sleep ${RETRY_SECONDS}`,
    'imgfree',
    // The script is fetched again, because the decision may have changed.
    `chain --replace ${scriptUrl(place, place.mac)} || goto failed`,
  ];
}

/** The words of the kernel command line. undefined: one is not allowed, as stored ones may be older than the check. */
export function commandLine(params: readonly KernelParam[], mac: Mac): string[] | undefined {
  // The form of pxelinux, which agents read: hardware type, then the MAC with dashes.
  const words = [...params, `BOOTIF=01-${mac.replaceAll(':', '-')}`];
  return words.every((word) => parseKernelParam(word) !== undefined) ? words : undefined;
}

/** Powers the machine off, because a machine that is asked to boot again would ask again. */
const refusedScript = (): string[] => [
  'echo Ingot: this boot script was given to another machine, or asked for too often. See the history of the node.',
  'sleep 10',
  'poweroff || exit 1',
];

/** When iPXE exits, UEFI tries its next boot entry. A BIOS is told to boot the first disk. */
function diskScript(why: string): string[] {
  return [
    `echo Ingot: ${why}`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: iPXE's own variable
    'iseq ${platform} efi && exit 1 ||',
    'sanboot --no-describe --drive 0x80 || exit 1',
  ];
}
