/**
 * Builds the answer to a DHCP message. Pure: lease and boot decision are arguments.
 */
import { type DhcpMessage, encodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, type MessageTypeNumber, Option } from '@ingot/shared/codec/dhcp/options.ts';
import { formatAddress, networkOf } from '../domain/ip-address.ts';
import { addBoot, type Booting } from './dhcp-boot-options.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

export const NO_ADDRESS = '0.0.0.0';
const BROADCAST_FLAG = 0x8000;
/** The header's field holds 128 bytes with the terminating NUL. A longer name is only in option 67. */
const MAX_FILE_FIELD = 127;
/** Every client accepts a message of 576 bytes (RFC 2131 section 2), which has space for this number of servers. */
const MAX_DNS_SERVERS = 8;

/** A reply of `type` with `address`. The boot options depend on the client's firmware and on the boot decision. */
export function answer(
  request: DhcpMessage,
  type: MessageTypeNumber,
  settings: DhcpSettings,
  given: Booting & { readonly address: string },
): DhcpMessage {
  const options = identity(request, type, settings);
  if (settings.dhcpMode === 'reservation') addNetwork(options, settings, given.address !== NO_ADDRESS);
  const file = addBoot(options, request, settings, given);
  return {
    ...reply(request, options),
    // Only an ACK has it (RFC 2131 table 3).
    ciaddr: type === MessageType.ack ? request.ciaddr : NO_ADDRESS,
    yiaddr: given.address,
    siaddr: file === '' ? NO_ADDRESS : settings.address,
    file: file.length > MAX_FILE_FIELD ? '' : file,
  };
}

/** Refusal of an address (RFC 2131 section 4.3.2). */
export function refusal(request: DhcpMessage, settings: DhcpSettings, text: string): DhcpMessage {
  const options = identity(request, MessageType.nak, settings);
  options.set(Option.message, Buffer.from(text, 'latin1'));
  const plain = reply(request, options);
  // Broadcast, because otherwise a relay may send it to the refused address.
  return plain.giaddr === NO_ADDRESS ? plain : { ...plain, flags: plain.flags | BROADCAST_FLAG };
}

/** The options of every answer: message type, server id, client id and relay agent information. */
function identity(
  request: DhcpMessage,
  type: MessageTypeNumber,
  settings: DhcpSettings,
): Map<number, Buffer> {
  const options = new Map<number, Buffer>([
    [Option.messageType, Buffer.from([type])],
    [Option.serverId, encodeAddress(settings.address)],
  ]);
  // Client id: RFC 6842. Relay agent information, which only a relay may add: RFC 3046 section 2.2.
  const echoed = [Option.clientId, ...(request.giaddr === NO_ADDRESS ? [] : [Option.relayAgent])];
  for (const code of echoed) {
    const value = request.options.get(code);
    if (value !== undefined && value.length <= 255) options.set(code, value);
  }
  return options;
}

function reply(request: DhcpMessage, options: ReadonlyMap<number, Buffer>): DhcpMessage {
  const { htype, xid, flags, giaddr, chaddr } = request;
  const empty = { ciaddr: NO_ADDRESS, yiaddr: NO_ADDRESS, siaddr: NO_ADDRESS, sname: '', file: '' };
  return { op: 2, htype, hops: 0, xid, secs: 0, flags, giaddr, chaddr, options, ...empty };
}

function addNetwork(options: Map<number, Buffer>, settings: DhcpSettings, isLease: boolean): void {
  options.set(Option.subnetMask, encodeAddress(settings.netmask));
  options.set(
    Option.broadcast,
    encodeAddress(formatAddress({ version: 4, value: networkOf(settings).last })),
  );
  if (settings.dhcpRouter !== null) options.set(Option.router, encodeAddress(settings.dhcpRouter));
  const dns = settings.dhcpDns.slice(0, MAX_DNS_SERVERS);
  if (dns.length > 0) options.set(Option.dns, Buffer.concat(dns.map(encodeAddress)));
  if (!isLease) return;
  // DHCP counts in seconds (RFC 2132, section 9.2).
  const seconds = (ms: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(Math.floor(ms / 1000));
    return bytes;
  };
  options.set(Option.leaseTime, seconds(settings.dhcpLeaseMs));
  options.set(Option.renewalTime, seconds(settings.dhcpLeaseMs / 2));
  options.set(Option.rebindingTime, seconds((settings.dhcpLeaseMs * 7) / 8));
}
