/**
 * What a DHCP message is answered with. Pure: the lease and the boot decision come in as arguments.
 */
import { type DhcpMessage, encodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import {
  bootRequester,
  MessageType,
  type MessageTypeNumber,
  Option,
} from '@ingot/shared/codec/dhcp/options.ts';
import type { BootDecision, Mac } from '../domain/boot.ts';

export interface DhcpSettings {
  readonly mode: 'reservation' | 'proxy' | 'off';
  /** Ours on the provisioning network, dotted. */
  readonly address: string;
  readonly netmask: string;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  readonly router: string | null;
  readonly dns: readonly string[];
  readonly leaseSeconds: number;
  readonly biosLoader: string;
  readonly uefiLoader: string;
  /** `http://10.0.0.1:8089`. */
  readonly httpBaseUrl: string;
}

/** RFC 4578 section 2.1 and IANA's registry. */
const UEFI_X64 = [7, 9];
const HTTP_X64 = 16;

/** Reply of `type` giving `address`; boot options by what asks and what its node is to do. */
export function answer(
  request: DhcpMessage,
  type: MessageTypeNumber,
  settings: DhcpSettings,
  given: { address: string; decision: BootDecision },
): DhcpMessage {
  const options = new Map<number, Buffer>([
    [Option.messageType, Buffer.from([type])],
    [Option.serverId, encodeAddress(settings.address)],
  ]);
  const gives = settings.mode === 'reservation';
  if (gives) addNetwork(options, settings, type !== MessageType.inform && given.address !== '0.0.0.0');
  const file = addBoot(options, request, settings, given.decision);
  const machineId = request.options.get(Option.machineId);
  if (!gives && machineId !== undefined) options.set(Option.machineId, machineId);
  const relay = request.options.get(Option.relayAgent);
  if (relay !== undefined) options.set(Option.relayAgent, relay);
  return reply(request, {
    yiaddr: gives ? given.address : '0.0.0.0',
    siaddr: file === '' ? '0.0.0.0' : settings.address,
    file,
    options,
  });
}

/** Refusal of an address (RFC 2131 section 4.3.2). */
export function refusal(request: DhcpMessage, settings: DhcpSettings, text: string): DhcpMessage {
  const options = new Map<number, Buffer>([
    [Option.messageType, Buffer.from([MessageType.nak])],
    [Option.serverId, encodeAddress(settings.address)],
    [Option.message, Buffer.from(text, 'latin1')],
  ]);
  const relay = request.options.get(Option.relayAgent);
  if (relay !== undefined) options.set(Option.relayAgent, relay);
  return reply(request, { yiaddr: '0.0.0.0', siaddr: '0.0.0.0', file: '', options });
}

function reply(
  request: DhcpMessage,
  more: Pick<DhcpMessage, 'yiaddr' | 'siaddr' | 'file' | 'options'>,
): DhcpMessage {
  const { htype, xid, flags, giaddr, chaddr, ciaddr } = request;
  return { op: 2, htype, hops: 0, xid, secs: 0, flags, ciaddr, giaddr, chaddr, sname: '', ...more };
}

function addNetwork(options: Map<number, Buffer>, settings: DhcpSettings, isLease: boolean): void {
  options.set(Option.subnetMask, encodeAddress(settings.netmask));
  if (settings.router !== null) options.set(Option.router, encodeAddress(settings.router));
  if (settings.dns.length > 0) options.set(Option.dns, Buffer.concat(settings.dns.map(encodeAddress)));
  if (!isLease) return;
  const seconds = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(Math.floor(value));
    return bytes;
  };
  options.set(Option.leaseTime, seconds(settings.leaseSeconds));
  options.set(Option.renewalTime, seconds(settings.leaseSeconds / 2));
  options.set(Option.rebindingTime, seconds((settings.leaseSeconds * 7) / 8));
}

/** Adds the boot options and returns the boot file; '' when there is nothing to boot. */
function addBoot(
  options: Map<number, Buffer>,
  request: DhcpMessage,
  settings: DhcpSettings,
  decision: BootDecision,
): string {
  const requester = bootRequester(request);
  if (requester.kind === 'none' || decision.kind === 'nothing' || decision.kind === 'unknown') return '';
  if (requester.kind === 'ipxe') return bootFile(options, scriptUrl(settings, macOf(request)));
  if (requester.kind === 'http') {
    if (requester.arch !== HTTP_X64) return '';
    options.set(Option.vendorClass, Buffer.from('HTTPClient'));
    return bootFile(options, `${settings.httpBaseUrl}/boot/nbp/${settings.uefiLoader}`);
  }
  const loader =
    requester.arch === 0
      ? settings.biosLoader
      : UEFI_X64.includes(requester.arch)
        ? settings.uefiLoader
        : undefined;
  if (loader === undefined) return '';
  options.set(Option.vendorClass, Buffer.from('PXEClient'));
  // Discovery control 8: boot what this answer names, ask no boot servers (PXE 2.1, table 2-1).
  options.set(Option.vendorSpecific, Buffer.from([6, 1, 8, 255]));
  options.set(Option.tftpServer, Buffer.from(settings.address));
  return bootFile(options, loader);
}

function bootFile(options: Map<number, Buffer>, file: string): string {
  options.set(Option.bootFile, Buffer.from(file, 'latin1'));
  return file;
}

export const scriptUrl = (settings: Pick<DhcpSettings, 'httpBaseUrl'>, mac: Mac): string =>
  `${settings.httpBaseUrl}/boot/script.ipxe?mac=${mac.replaceAll(':', '-')}`;

/** Only called for Ethernet addresses of six bytes. */
export function macOf({ chaddr }: DhcpMessage): Mac {
  return [...chaddr].map((byte) => byte.toString(16).padStart(2, '0')).join(':') as Mac;
}
