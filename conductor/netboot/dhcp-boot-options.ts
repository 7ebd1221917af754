/**
 * Chooses the boot file for a request, and the options that its firmware needs with it.
 *
 * Pure. The firmware is recognised from the request (RFC 4578; user class `iPXE`), not configured.
 */
import { ARCHITECTURES } from '@ingot/shared/codec/dhcp/architectures.ts';
import type { DhcpMessage } from '@ingot/shared/codec/dhcp/message.ts';
import { type BootRequester, bootRequester, Option } from '@ingot/shared/codec/dhcp/options.ts';
import type { BootDecision, Mac } from '../domain/boot.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

/** PXE discovery control, bit 3: boot the file of this answer without boot server discovery (PXE 2.1 table 2-1). */
const START_AT_ONCE = Buffer.from([6, 1, 8, 255]);
/** iPXE's no-pxedhcp: without it iPXE waits two seconds for a ProxyDHCP answer after every offer. */
const NO_PROXY_DHCP = Buffer.from([176, 1, 1]);

export interface Booting {
  readonly mac: Mac;
  readonly decision: BootDecision;
}

/** Adds the boot options and returns the boot file; '' if there is nothing to boot. */
export function addBoot(
  options: Map<number, Buffer>,
  request: DhcpMessage,
  settings: DhcpSettings,
  { mac, decision }: Booting,
): string {
  const requester = bootRequester(request);
  const isProxy = settings.dhcpMode === 'proxy';
  if (requester.kind === 'ipxe' && !isProxy) options.set(Option.ipxe, NO_PROXY_DHCP);
  if (decision.kind === 'nothing' || decision.kind === 'unknown') return '';
  const file = bootFile(requester, settings, mac);
  if (file === undefined) return '';
  options.set(Option.bootFile, Buffer.from(file, 'latin1'));
  if (requester.kind === 'http') options.set(Option.vendorClass, Buffer.from('HTTPClient'));
  // iPXE accepts an offer without an address only from a PXE server.
  if (requester.kind === 'pxe' || (requester.kind === 'ipxe' && isProxy)) {
    options.set(Option.vendorClass, Buffer.from('PXEClient'));
    options.set(Option.vendorSpecific, START_AT_ONCE);
    const machineId = request.options.get(Option.machineId);
    if (machineId?.length === 17) options.set(Option.machineId, machineId);
  }
  if (requester.kind === 'pxe') options.set(Option.tftpServer, Buffer.from(settings.address));
  return file;
}

/** undefined: not a network boot, or no program for the architecture is configured. */
function bootFile(requester: BootRequester, settings: DhcpSettings, mac: Mac): string | undefined {
  switch (requester.kind) {
    case 'none':
      return undefined;
    case 'ipxe':
      return scriptUrl(settings, mac);
    case 'http': {
      const loader = loaderFor(requester.architectures, settings);
      return loader === undefined ? undefined : `${settings.httpBaseUrl}/boot/nbp/${loader}`;
    }
    case 'pxe':
      return loaderFor(requester.architectures, settings);
  }
}

/** The loader of the first architecture that has one. */
function loaderFor(architectures: readonly number[], { loaders }: DhcpSettings): string | undefined {
  for (const architecture of architectures) {
    const platform = ARCHITECTURES.get(architecture);
    const loader = platform === undefined ? undefined : loaders[platform];
    if (loader !== undefined && loader !== null) return loader;
  }
  return undefined;
}

/** The firmware of a machine that should boot but has no network boot program; undefined if there is one. */
export function firmwareWithoutLoader(
  request: DhcpMessage,
  settings: DhcpSettings,
  decision: BootDecision,
): { readonly architectures: readonly number[]; readonly platforms: readonly string[] } | undefined {
  if (decision.kind === 'nothing' || decision.kind === 'unknown') return undefined;
  const requester = bootRequester(request);
  if (requester.kind !== 'pxe' && requester.kind !== 'http') return undefined;
  const { architectures } = requester;
  if (loaderFor(architectures, settings) !== undefined) return undefined;
  return { architectures, platforms: architectures.map((one) => ARCHITECTURES.get(one) ?? 'unknown') };
}

export const scriptUrl = ({ httpBaseUrl }: Pick<DhcpSettings, 'httpBaseUrl'>, mac: Mac): string =>
  `${httpBaseUrl}/boot/script.ipxe?mac=${mac.replaceAll(':', '-')}`;
