/**
 * iPXE scripts, built from typed words: no text of a user ever becomes a script line.
 */
import { type BootDecision, type KernelParam, type Mac, parseKernelParam } from '../domain/boot.ts';
import { scriptUrl } from './dhcp-boot-options.ts';

const RETRY_SECONDS = 5;

export interface ScriptPlace {
  /** Base URL of the boot server. */
  readonly httpBaseUrl: string;
  readonly mac: Mac;
}

/** What iPXE is told for a decision. Every script ends in something that happens, never in a prompt. */
export function bootScript(decision: BootDecision, place: ScriptPlace): string {
  switch (decision.kind) {
    case 'ramdisk':
      return lines(ramdiskScript(decision.nodeUuid, decision.kernelParams, place));
    case 'disk':
      return lines(diskScript('this machine runs from its own disk'));
    case 'nothing':
      return lines(diskScript('there is nothing to boot for this machine now'));
    case 'unknown':
      return lines(diskScript('this machine is not known here'));
  }
}

const lines = (all: readonly string[]): string => `${['#!ipxe', ...all].join('\n')}\n`;

function ramdiskScript(nodeUuid: string, params: readonly KernelParam[], place: ScriptPlace): string[] {
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
    // Asked anew: by now the answer may be another one.
    `chain --replace ${scriptUrl(place, place.mac)} || goto failed`,
  ];
}

/** The words of the kernel's command line; undefined when one is not allowed, which may be older than the rule. */
export function commandLine(params: readonly KernelParam[], mac: Mac): string[] | undefined {
  // pxelinux's form, which agents read: hardware type, then the address with dashes.
  const words = [...params, `BOOTIF=01-${mac.replaceAll(':', '-')}`];
  return words.every((word) => parseKernelParam(word) !== undefined) ? words : undefined;
}

/** UEFI goes on with its next boot entry when iPXE exits; a BIOS is told to start the first disk. */
function diskScript(why: string): string[] {
  return [
    `echo Ingot: ${why}`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: iPXE's own variable
    'iseq ${platform} efi && exit 1 ||',
    'sanboot --no-describe --drive 0x80 || exit 1',
  ];
}
