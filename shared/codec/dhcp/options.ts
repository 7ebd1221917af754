/**
 * The DHCP options of the boot services by name, and the information in them about a booting machine.
 */
import { architecturesOf } from './architectures.ts';
import type { DhcpMessage } from './message.ts';

/** From RFC 2132 unless noted. */
export const Option = {
  subnetMask: 1,
  router: 3,
  dns: 6,
  hostName: 12,
  broadcast: 28,
  vendorSpecific: 43,
  requestedAddress: 50,
  leaseTime: 51,
  messageType: 53,
  serverId: 54,
  parameterList: 55,
  message: 56,
  renewalTime: 58,
  rebindingTime: 59,
  vendorClass: 60,
  clientId: 61,
  tftpServer: 66,
  bootFile: 67,
  /** RFC 3004. */
  userClass: 77,
  /** RFC 3046. */
  relayAgent: 82,
  /** RFC 4578: client architecture, network interface, machine identifier. */
  clientArch: 93,
  clientNdi: 94,
  machineId: 97,
  /** Etherboot, iPXE. */
  ipxe: 175,
} as const;

export const MessageType = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;
export type MessageTypeNumber = (typeof MessageType)[keyof typeof MessageType];

export function messageType(message: DhcpMessage): number | undefined {
  const value = message.options.get(Option.messageType);
  return value?.length === 1 ? value[0] : undefined;
}

/** The kind of boot program that sent a request. */
export type BootRequester =
  /** Not a network boot: an operating system or the ramdisk wants an address. */
  | { readonly kind: 'none' }
  /** iPXE, in ROM or loaded: boots from a URL. */
  | { readonly kind: 'ipxe' }
  /** PXE firmware: boots a file by TFTP. */
  | { readonly kind: 'pxe'; readonly architectures: readonly number[] }
  /** UEFI HTTP boot: boots from a URL. */
  | { readonly kind: 'http'; readonly architectures: readonly number[] };

export function bootRequester({ options }: DhcpMessage): BootRequester {
  const vendor = options.get(Option.vendorClass)?.toString('latin1') ?? '';
  const user = options.get(Option.userClass)?.toString('latin1') ?? '';
  if (options.has(Option.ipxe) || user === 'iPXE' || user === '\u0004iPXE') return { kind: 'ipxe' };
  const architectures = architecturesOf(options.get(Option.clientArch));
  if (vendor.startsWith('HTTPClient')) return { kind: 'http', architectures };
  if (vendor.startsWith('PXEClient')) return { kind: 'pxe', architectures };
  return { kind: 'none' };
}

/** SMBIOS UUID of option 97, type 0; lower case. The bytes are little-endian in their first three groups. */
export function machineUuid({ options }: DhcpMessage): string | undefined {
  const value = options.get(Option.machineId);
  if (value?.length !== 17 || value[0] !== 0) return undefined;
  const hex = (from: number, to: number, reversed: boolean): string => {
    const part = Buffer.from(value.subarray(1 + from, 1 + to));
    return (reversed ? part.reverse() : part).toString('hex');
  };
  return [hex(0, 4, true), hex(4, 6, true), hex(6, 8, true), hex(8, 10, false), hex(10, 16, false)].join('-');
}
